// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
)

// What a list costs the server. client-go's own limit of five requests in a second
// makes 300 pages of pods take a minute.
const (
	pageSize       = 500
	requestsSecond = 50
	requestsBurst  = 100
	kindsAtOnce    = 4
	longestList    = 100_000 // pages: a list that is longer does not end
)

// Read lists every kind that counts. A kind that may not be read, or that fails,
// becomes a gap of the snapshot; only a server that cannot be reached is an error.
func Read(ctx context.Context, config *rest.Config) (*Snapshot, error) {
	client, err := newClient(config)
	if err != nil {
		return nil, err
	}
	all := kinds()
	parts := make([]*Snapshot, len(all))
	errs := make([]error, len(all))
	var group sync.WaitGroup
	slots := make(chan struct{}, kindsAtOnce)
	for i, k := range all {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			parts[i], errs[i] = list(ctx, client, k)
		})
	}
	group.Wait()
	s := &Snapshot{}
	failed := 0
	for i, k := range all {
		switch {
		case errs[i] == nil:
			s.absorb(parts[i])
		case unreachable(errs[i]):
			failed++
			s.NotInspected = append(s.NotInspected, Gap{Kind: k.String(), Reason: reason(errs[i])})
		default:
			s.NotInspected = append(s.NotInspected, gap(k, errs[i]))
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if failed == len(all) {
		return nil, errs[0]
	}
	s.sort()
	return s, nil
}

// newClient makes a client that only reads, within limits that suit lists.
func newClient(config *rest.Config) (rest.Interface, error) {
	c := rest.CopyConfig(config)
	c.QPS, c.Burst = requestsSecond, requestsBurst
	c.NegotiatedSerializer = serializer.NewCodecFactory(runtime.NewScheme()).WithoutConversion()
	return rest.UnversionedRESTClientFor(c)
}

// list reads one kind in its newest version that the server has.
func list(ctx context.Context, client rest.Interface, k kind) (*Snapshot, error) {
	for _, version := range k.Versions {
		s, err := pages(ctx, client, k, version)
		if apierrors.IsNotFound(err) {
			continue
		}
		return s, err
	}
	if k.Needed {
		return nil, fmt.Errorf("the server has no %s in a known version (%s)", k, strings.Join(k.Versions, ", "))
	}
	return &Snapshot{}, nil
}

// pages reads all pages of a list. A token that has expired starts the list anew.
func pages(ctx context.Context, client rest.Interface, k kind, version string) (*Snapshot, error) {
	s, next := &Snapshot{}, ""
	restarted := false
	for range longestList {
		token, err := page(ctx, client, k, version, next, s)
		switch {
		case apierrors.IsResourceExpired(err) && !restarted:
			s, next, restarted = &Snapshot{}, "", true
			continue
		case err != nil:
			return nil, err
		case token == "":
			return s, nil
		case token == next:
			return nil, errors.New("the server answers with the same page again and again")
		}
		next = token
	}
	return nil, fmt.Errorf("the list does not end within %d pages", longestList)
}

func page(ctx context.Context, client rest.Interface, k kind, version, next string, s *Snapshot) (token string, err error) {
	path := "/api/" + version
	if k.Group != "" {
		path = "/apis/" + k.Group + "/" + version
	}
	request := client.Get().AbsPath(path, k.Resource).Param("limit", strconv.Itoa(pageSize))
	if next != "" {
		request = request.Param("continue", next)
	}
	if k.fieldSelector != "" {
		request = request.Param("fieldSelector", k.fieldSelector)
	}
	body, err := request.Stream(ctx)
	if err != nil {
		return "", err
	}
	token, err = s.object(json.NewDecoder(body), &k)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the answer breaks off")
	}
	return token, errors.Join(err, body.Close())
}

// unreachable reports whether an error is no answer of a server.
func unreachable(err error) bool {
	var status apierrors.APIStatus
	return !errors.As(err, &status)
}

// gap says why a kind could not be read, and what would allow it.
func gap(k kind, err error) Gap {
	g := Gap{Kind: k.String(), Reason: reason(err)}
	if apierrors.IsForbidden(err) {
		g.Reason = "the API server refuses it (403)"
		g.Hint = fmt.Sprintf("allow get and list on %s to the user", k)
	}
	if apierrors.IsUnauthorized(err) {
		g.Reason = "the API server does not accept the credentials (401)"
	}
	return g
}

// reason is the text of an error on one line.
func reason(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
