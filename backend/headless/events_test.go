package headless

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"mobius/backend/feed"
	"mobius/backend/wire"
)

func (r *running) dial(query string, o *websocket.DialOptions) (*websocket.Conn, *http.Response, error) {
	ctx, cancel := context.WithTimeout(r.t.Context(), 10*time.Second)
	defer cancel()
	conn, res, err := websocket.Dial(ctx, "ws://"+r.addr+"/events"+query, o)
	if err == nil {
		conn.SetReadLimit(64 << 20)
		r.t.Cleanup(func() { _ = conn.CloseNow() })
	}
	return conn, res, err
}

// browser dials as a page does.
func (r *running) browser(client string) *websocket.Conn {
	r.t.Helper()
	conn, _, err := r.dial("?client="+client, &websocket.DialOptions{
		Subprotocols: []string{"mobius", token}, HTTPHeader: http.Header{"Origin": {"http://" + r.addr}},
	})
	require.NoError(r.t, err)
	require.Equal(r.t, "mobius", conn.Subprotocol(), "the token is not sent back")
	return conn
}

func read(t *testing.T, conn *websocket.Conn) []wire.Envelope {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	kind, batch, err := conn.Read(ctx)
	require.NoError(t, err)
	require.Equal(t, websocket.MessageText, kind)
	var list []wire.Envelope
	require.NoError(t, json.Unmarshal(batch, &list))
	return list
}

func event(session string, seq int64) wire.Envelope {
	return wire.Envelope{Kind: wire.EnvelopeEvent, SessionID: session, Event: &wire.Event{Seq: seq, Kind: wire.EventNotice}}
}

func TestEveryClientGetsWhatIsPublishedFromTheMomentThatItIsConnected(t *testing.T) {
	s := serve(t, Options{})
	s.feed.Publish(event("before", 1))
	a, b := s.browser("a"), s.browser("b")
	s.feed.Watch("b", []string{"two"})
	s.feed.Publish(event("one", 1))
	s.feed.Publish(event("two", 1))
	var got []string
	for len(got) < 2 {
		for _, e := range read(t, a) {
			got = append(got, e.SessionID)
		}
	}
	require.Equal(t, []string{"one", "two"}, got)
	require.Equal(t, "two", read(t, b)[0].SessionID)
}

func TestAWebSocketNeedsTheToken(t *testing.T) {
	s := serve(t, Options{})
	own := http.Header{"Origin": {"http://" + s.addr}}
	for name, c := range map[string]struct {
		query string
		o     websocket.DialOptions
		want  int
	}{
		"subprotocol":        {"?client=a", websocket.DialOptions{Subprotocols: []string{"mobius", token}, HTTPHeader: own}, 101},
		"header":             {"?client=a", websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}}, 101},
		"address":            {"?client=a&token=" + url.QueryEscape(token), websocket.DialOptions{}, 101},
		"none":               {"?client=a", websocket.DialOptions{Subprotocols: []string{"mobius"}}, 403},
		"wrong":              {"?client=a", websocket.DialOptions{Subprotocols: []string{"mobius", "wrong"}}, 403},
		"alone":              {"?client=a", websocket.DialOptions{Subprotocols: []string{token}}, 403},
		"no client":          {"", websocket.DialOptions{Subprotocols: []string{"mobius", token}}, 400},
		"long client":        {"?client=" + strings.Repeat("a", 129), websocket.DialOptions{Subprotocols: []string{"mobius", token}}, 400},
		"foreign origin":     {"?client=a", websocket.DialOptions{Subprotocols: []string{"mobius", token}, HTTPHeader: http.Header{"Origin": {"http://evil.example"}}}, 403},
		"foreign name":       {"?client=a", websocket.DialOptions{Subprotocols: []string{"mobius", token}, Host: "evil.example"}, 403},
		"rebound to foreign": {"?client=a", websocket.DialOptions{Subprotocols: []string{"mobius", token}, Host: "evil.example", HTTPHeader: http.Header{"Origin": {"http://evil.example"}}}, 403},
	} {
		_, res, err := s.dial(c.query, &c.o)
		require.Equal(t, c.want == 101, err == nil, "%s: %v", name, err)
		require.Equal(t, c.want, res.StatusCode, name)
	}
	status, _, _ := s.send(http.MethodGet, "/events?client=a", "", map[string]string{"Authorization": "Bearer " + token})
	require.Equal(t, http.StatusUpgradeRequired, status, "not a websocket")
}

// A client that does not read is resynchronised when it reads again, and nobody waits for it meanwhile.
func TestASlowClientIsResynchronisedAndHoldsNobodyUp(t *testing.T) {
	s := serve(t, Options{})
	slow, quick := s.browser("slow"), s.browser("quick")
	text := strings.Repeat("a", 1<<20)
	const total = 40 // MiB: more than the feed keeps for a client and the kernel holds for a connection
	for seq := int64(1); seq <= total; seq++ {
		s.feed.Publish(wire.Envelope{Kind: wire.EnvelopeEvent, SessionID: "s", Event: &wire.Event{Seq: seq, Kind: wire.EventNotice, Notice: &wire.Notice{Text: text}}})
		for done := false; !done; {
			for _, e := range read(t, quick) {
				require.Equal(t, wire.EnvelopeEvent, e.Kind, "the quick client was resynchronised")
				done = done || e.Event.Seq == seq
			}
		}
	}
	last := int64(0)
	resynced := false
	for !resynced {
		for _, e := range read(t, slow) {
			if e.Kind == wire.EnvelopeResync {
				resynced = true
				continue
			}
			require.Equal(t, last+1, e.Event.Seq, "a gap without a resync")
			last = e.Event.Seq
		}
	}
	require.Less(t, last, int64(total))
	s.feed.Publish(event("s", total+1))
	require.EqualValues(t, total+1, read(t, slow)[0].Event.Seq)
}

func TestAClientThatLeavesIsForgotten(t *testing.T) {
	s := serve(t, Options{})
	conn := s.browser("a")
	s.feed.Watch("a", []string{"one"})
	require.True(t, s.feed.Watched("one"))
	require.NoError(t, conn.CloseNow())
	require.Eventually(t, func() bool { return !s.feed.Watched("one") }, 10*time.Second, time.Millisecond)
}

func TestClientsSendNothing(t *testing.T) {
	s := serve(t, Options{})
	conn := s.browser("a")
	require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte("hello")))
	_, _, err := conn.Read(t.Context())
	require.Equal(t, websocket.StatusPolicyViolation, websocket.CloseStatus(err))
}

func TestWebSocketsAreClosedWithAReasonWhenTheServerEnds(t *testing.T) {
	s := serve(t, Options{})
	conn := s.browser("a")
	closed := make(chan error, 1)
	go func() { _, _, err := conn.Read(context.Background()); closed <- err }()
	require.NoError(t, s.stop())
	err := <-closed
	require.Equal(t, websocket.StatusGoingAway, websocket.CloseStatus(err), "%v", err)
}

func TestWebSocketsAreClosedWhenTheFeedEnds(t *testing.T) {
	s := serve(t, Options{})
	conn := s.browser("a")
	s.feed.Publish(event("one", 1))
	s.feed.Close()
	require.Equal(t, "one", read(t, conn)[0].SessionID)
	_, _, err := conn.Read(t.Context())
	require.Equal(t, websocket.StatusGoingAway, websocket.CloseStatus(err))
}

func TestTheControlSocketNeedsNoToken(t *testing.T) {
	path := t.TempDir() + "/control.sock"
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	f := feed.New()
	s, err := New(Options{Services: []any{&Things{}}, Feed: f, Open: true})
	require.NoError(t, err)
	require.Empty(t, s.Token())
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}
	client := &http.Client{Transport: transport}
	res, err := client.Post("http://mobius/api/Things.Nothing", "application/json", strings.NewReader("[]"))
	require.NoError(t, err)
	require.Equal(t, 200, res.StatusCode)
	require.NoError(t, res.Body.Close())
	res, err = client.Get("http://mobius/")
	require.NoError(t, err)
	require.Equal(t, 404, res.StatusCode)
	require.NoError(t, res.Body.Close())
	conn, _, err := websocket.Dial(t.Context(), "ws://mobius/events?client=a", &websocket.DialOptions{HTTPClient: client})
	require.NoError(t, err)
	f.Publish(event("one", 1))
	require.Equal(t, "one", read(t, conn)[0].SessionID)
	go func() { _, _, _ = conn.Read(context.Background()) }() // answers the goodbye
	cancel()
	require.NoError(t, <-ended)
	transport.CloseIdleConnections()
}
