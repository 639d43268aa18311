// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// pods is how many pods the benchmark records, of a realistic size each.
const pods = 20_000

// recordedPods writes a list of pods, as kubectl get -o json does, piece by piece: it
// is never in memory as a whole.
func recordedPods() io.Reader {
	r, w := io.Pipe()
	filler := strings.Repeat(`{"name":"SOME_VARIABLE","valueFrom":{"secretKeyRef":{"name":"some-secret","key":"some-key","optional":true}}},`, 50)
	go func() {
		fmt.Fprint(w, `{"apiVersion":"v1","items":[`)
		for i := range pods {
			if i > 0 {
				fmt.Fprint(w, ",")
			}
			_, err := fmt.Fprintf(w, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-%d","namespace":"apps","labels":{"app":"web"},"managedFields":[{"manager":"kubelet","fieldsV1":{"f:status":{}}}]},"spec":{"nodeName":"n%d","containers":[{"name":"web","image":"example.org/web:1","env":[%s{"name":"LAST","value":"x"}]}]},"status":{"phase":"Running","podIP":"10.%d.%d.%d","podIPs":[{"ip":"10.%d.%d.%d"}],"containerStatuses":[{"name":"web","state":{"running":{"startedAt":"2026-11-30T10:00:00Z"}}}]}}`,
				i, i/30, filler, i>>16, i>>8&255, i&255, i>>16, i>>8&255, i&255)
			if err != nil {
				return // the reader has gone
			}
		}
		fmt.Fprint(w, `],"kind":"List"}`)
		_ = w.Close()
	}()
	return r
}

// BenchmarkAdd reads recorded pods into a snapshot, beside decoding the same text into
// the partial structs and no more, and beside reading the text alone. peak-MiB is what
// the heap holds at the end.
func BenchmarkAdd(b *testing.B) {
	measure := func(b *testing.B, work func(io.Reader) any) {
		var kept any
		for b.Loop() {
			kept = work(recordedPods())
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "heap-MiB")
		runtime.KeepAlive(kept)
	}
	b.Run("snapshot", func(b *testing.B) {
		measure(b, func(r io.Reader) any {
			s := &Snapshot{}
			if err := s.Add(r); err != nil || len(s.Pods) != pods {
				b.Fatal(len(s.Pods), err)
			}
			return s
		})
	})
	b.Run("decode", func(b *testing.B) {
		measure(b, func(r io.Reader) any {
			var list struct {
				Items []podWire `json:"items"`
			}
			if err := json.NewDecoder(r).Decode(&list); err != nil || len(list.Items) != pods {
				b.Fatal(len(list.Items), err)
			}
			return list
		})
	})
	b.Run("read", func(b *testing.B) {
		measure(b, func(r io.Reader) any {
			var buffer bytes.Buffer
			if _, err := io.CopyBuffer(io.Discard, r, make([]byte, 1<<16)); err != nil {
				b.Fatal(err)
			}
			return &buffer
		})
	})
}
