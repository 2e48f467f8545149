package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func page() EventPage {
	return EventPage{Before: 3, LastSeq: 9, Events: []Event{
		{Seq: 3, At: 5, Kind: EventTurnStarted, TurnID: "t3", Stored: `{"message":{"id":"a","text":"quote \" and </script>"}}`},
		{Seq: 4, At: 6, Kind: EventNotice, Stored: `{}`},
		{Seq: 5, At: 7, Kind: EventTurnCompleted, TurnID: "t3", Outcome: &Outcome{Status: OutcomeCompleted}},
	}}
}

func TestWritingAPageGivesWhatEncodingItGives(t *testing.T) {
	p := page()
	open := OpenSession{Session: Session{ID: "s", Title: "ü"}, Page: p, Queue: []QueuedMessage{{ID: "q"}}, Live: &Live{TurnID: "t3", Blocks: []Block{}}}
	var written bytes.Buffer
	require.NoError(t, p.WriteJSON(&written))
	encoded, err := json.Marshal(p)
	require.NoError(t, err)
	require.JSONEq(t, string(encoded), written.String())
	written.Reset()
	require.NoError(t, open.WriteJSON(&written))
	encoded, err = json.Marshal(open)
	require.NoError(t, err)
	require.JSONEq(t, string(encoded), written.String())
}

func TestAStoredEventIsDecodedAsItWasEncoded(t *testing.T) {
	for _, e := range page().Events {
		encoded, err := json.Marshal(e)
		require.NoError(t, err)
		var got Event
		require.NoError(t, json.Unmarshal(encoded, &got))
		want, err := e.Decoded()
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := Event{Seq: 1, Stored: `{"message":`}.Decoded()
	require.ErrorContains(t, err, "event 1")
}

func TestARejectionIsFoundInsideOtherErrors(t *testing.T) {
	inner := RejectFatal(CodeGatewayStopped, "gone %d", 1)
	wrapped := fmt.Errorf("opening: %w", inner)
	require.Same(t, inner, AsRejection(wrapped))
	require.ErrorIs(t, wrapped, Reject(CodeGatewayStopped, ""))
	require.NotErrorIs(t, wrapped, Reject(CodeGatewayBusy, ""))
	require.Equal(t, CodeGatewayError, CodeOf(errors.New("other")))
	require.Nil(t, AsRejection(nil))
	require.Empty(t, CodeOf(nil))
}
