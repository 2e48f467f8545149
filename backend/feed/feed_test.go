package feed

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mobius/backend/wire"
)

func next(t *testing.T, s *Subscription) []wire.Envelope {
	t.Helper()
	batch, err := s.Next(t.Context())
	require.NoError(t, err)
	var list []wire.Envelope
	require.NoError(t, json.Unmarshal(batch, &list))
	return list
}

func event(session string, seq int64) wire.Envelope {
	return wire.Envelope{Kind: wire.EnvelopeEvent, SessionID: session, Event: &wire.Event{Seq: seq}}
}

func TestWhatIsPublishedComesInOrderAsBatches(t *testing.T) {
	f := New()
	s := f.Subscribe("a")
	for i := range int64(100) {
		f.Publish(event("x", i))
	}
	list := next(t, s)
	require.Len(t, list, 100)
	for i, e := range list {
		require.EqualValues(t, i, e.Event.Seq)
	}
	f.Publish(event("x", 100))
	require.Len(t, next(t, s), 1)
}

func TestAClientThatWatchesGetsOnlyItsSessionsAndEveryCatalogChange(t *testing.T) {
	f := New()
	s := f.Subscribe("a")
	f.Watch("a", []string{"mine"})
	require.True(t, f.Watched("mine"))
	require.False(t, f.Watched("other"))
	f.Publish(event("other", 1))
	f.Publish(event("mine", 2))
	f.Publish(wire.Envelope{Kind: wire.EnvelopeCatalog, Change: &wire.Change{Revision: 7}})
	list := next(t, s)
	require.Len(t, list, 2)
	require.EqualValues(t, 2, list[0].Event.Seq)
	require.EqualValues(t, 7, list[1].Change.Revision)
	s.Close()
	require.False(t, f.Watched("mine"))
}

func TestASlowClientIsResynchronisedAndGoesOnFromThere(t *testing.T) {
	f := New()
	slow, quick := f.Subscribe("slow"), f.Subscribe("quick")
	big := strings.Repeat("x", backlogBytes/4)
	for range 6 {
		f.Publish(wire.Envelope{Kind: wire.EnvelopeFrame, Frame: &wire.Frame{Deltas: []wire.Delta{{Text: big}}}})
		require.Len(t, next(t, quick), 1)
	}
	require.Equal(t, []wire.Envelope{{Kind: wire.EnvelopeResync}}, next(t, slow))
	f.Publish(event("x", 1))
	require.EqualValues(t, 1, next(t, slow)[0].Event.Seq)
}

func TestAFullBacklogIsHandedOutInBoundedBatchesWithoutLoss(t *testing.T) {
	f := New()
	s := f.Subscribe("a")
	text := strings.Repeat("y", 200<<10)
	for i := range 20 {
		f.Publish(wire.Envelope{Kind: wire.EnvelopeFrame, Frame: &wire.Frame{N: int64(i), Deltas: []wire.Delta{{Text: text}}}})
	}
	var seen int64
	for seen < 20 {
		for _, e := range next(t, s) {
			require.Equal(t, seen, e.Frame.N)
			seen++
		}
	}
}

func TestCloseEndsAWaitingReader(t *testing.T) {
	f := New()
	s := f.Subscribe("a")
	ended := make(chan error)
	go func() { _, err := s.Next(context.Background()); ended <- err }()
	f.Close()
	require.ErrorIs(t, <-ended, ErrClosed)
	_, err := f.Subscribe("late").Next(t.Context())
	require.ErrorIs(t, err, ErrClosed)
}

func BenchmarkPublish(b *testing.B) {
	f := New()
	s := f.Subscribe("a")
	e := wire.Envelope{Kind: wire.EnvelopeFrame, SessionID: "s", Frame: &wire.Frame{Kind: wire.FrameDelta, TurnID: "t1", Deltas: []wire.Delta{{Text: fmt.Sprint("word ", b.N)}}}}
	for i := range b.N {
		f.Publish(e)
		if i%64 == 63 {
			_, _ = s.Next(context.Background())
		}
	}
}
