// SPDX-License-Identifier: MPL-2.0

package bench

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// startsPerRound is how often each provider is started in one iteration.
const startsPerRound = 50

// BenchmarkProviderStart measures the time from the start of a provider until it
// says where it listens, beside a provider that does nothing and one that does
// nothing and links the clients of Kubernetes: Terraform starts a provider several
// times in one apply. The providers take turns, so that what else the machine does
// meets all of them. Medians are reported: of the time, and of the processor time,
// which other work on the machine disturbs less.
func BenchmarkProviderStart(b *testing.B) {
	dir := b.TempDir()
	providers := []struct{ name, module, pkg string }{
		{"provider", "../..", "."}, {"idle", ".", "./idle"}, {"idleclient", ".", "./idleclient"},
	}
	for _, p := range providers {
		build(b, p.module, filepath.Join(dir, p.name), p.pkg)
		startProvider(b, filepath.Join(dir, p.name)) // from memory from now on, not from disk
	}
	took, used := map[string][]float64{}, map[string][]float64{}
	for b.Loop() {
		for range startsPerRound {
			for _, p := range providers {
				wall, processor := startProvider(b, filepath.Join(dir, p.name))
				took[p.name] = append(took[p.name], wall.Seconds()*1000)
				used[p.name] = append(used[p.name], processor.Seconds()*1000)
			}
		}
	}
	for _, p := range providers {
		b.ReportMetric(median(took[p.name]), p.name+"-ms")
		b.ReportMetric(median(used[p.name]), p.name+"-cpu-ms")
	}
	b.ReportMetric(median(took["provider"])/median(took["idleclient"]), "provider/idleclient")
	b.ReportMetric(median(used["provider"])/median(used["idleclient"]), "provider/idleclient-cpu")
	b.ReportMetric(0, "ns/op") // of all starts together, which says nothing
}

// startProvider starts a provider as Terraform does, waits for the line of the
// handshake and ends it again. It returns the time until that line, and the
// processor time of the whole process.
func startProvider(b *testing.B, binary string) (wall, processor time.Duration) {
	b.Helper()
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), "PLUGIN_PROTOCOL_VERSIONS=6",
		"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	started := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	took := time.Since(started)
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // says that it was killed
	fields := strings.Split(line, "|")
	if err != nil || len(fields) < 4 || fields[1] != "6" {
		b.Fatalf("%s: no handshake of the plugin protocol: %q, %v", binary, line, err)
	}
	if fields[2] == "unix" {
		_ = os.Remove(fields[3]) // a provider that is killed leaves its socket
	}
	return took, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
