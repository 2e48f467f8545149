package cli

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"mobius/backend/wire"
)

func TestRunWritesTheAnswerToStandardOutputAndTheRestToStandardError(t *testing.T) {
	m := newMachine(t)
	m.fast()
	o := m.run("run", "say 3")
	require.Equal(t, outcome{0, "word 1 word 2 word 3 \n", ""}, o)

	o = m.run("run", "read README.md")
	require.Zero(t, o.code, o.err)
	require.Contains(t, o.out, "# Hello")
	require.NotContains(t, o.out, "read_file")
	require.Contains(t, o.err, `· read_file {"path":`)

	o = m.feed("say 2", "run", "-")
	require.Equal(t, "word 1 word 2 \n", o.out)
}

func TestRunGoesOnWithAConversation(t *testing.T) {
	m := newMachine(t)
	m.fast()
	require.Zero(t, m.run("run", "say 1").code)
	var page wire.SessionPage
	m.json(&page, "sessions", "list")
	require.Len(t, page.Sessions, 1)
	id := page.Sessions[0].ID
	require.Equal(t, "word 1 word 2 \n", m.run("run", "--session", id, "say 2").out)
	o := m.run("sessions", "show", id)
	require.Contains(t, o.out, "> say 1\n\nword 1")
	require.Contains(t, o.out, "> say 2\n\nword 1 word 2")
	require.Equal(t, "1 in the trash, where they stay for 30 days.\n", m.run("sessions", "delete", id).out)
	require.Empty(t, m.run("sessions").out)
}

func TestRunSaysWhyItFailed(t *testing.T) {
	m := newMachine(t)
	m.fast()
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"run", "fail with 401"}, 1, "(model_key_invalid)"},
		{[]string{"run", "--bot", "nobody", "hello"}, 1, "The Bots are: mobius. (invalid_bot)"},
		{[]string{"run", "--session", "0197a0b0-0000-7000-8000-000000000000", "hello"}, 1, "(unknown_session)"},
		{[]string{"run", "--workspace", "/no/such/folder", "hello"}, 1, "(invalid_workspace)"},
		{[]string{"run", "  "}, 2, "the prompt is empty"},
		{[]string{"run"}, 2, "accepts 1 arg"},
		{[]string{"run", "--session", "x", "--bot", "y", "hello"}, 2, "--session goes without"},
		{[]string{"run", "--nonsense", "hello"}, 2, "unknown flag"},
		{[]string{"nonsense"}, 2, "unknown command"},
		{[]string{"sessions", "show"}, 2, "accepts 1 arg"},
		{[]string{"sessions", "show", "x"}, 1, "(unknown_session)"},
		{[]string{"providers", "test", "x"}, 1, "(invalid_provider)"},
		{[]string{"serve", "--token", "short"}, 1, "(invalid_request)"},
		{[]string{"serve", "--addr", "nonsense"}, 1, "listen on nonsense"},
	} {
		o := m.run(c.args...)
		require.Equal(t, c.code, o.code, "%v: %s", c.args, o.err)
		require.Contains(t, o.err, c.says, "%v", c.args)
		require.Empty(t, o.out, "%v", c.args)
	}
}

func TestAFolderThatCannotBeAWorkspaceIsReplacedUnlessItWasAskedFor(t *testing.T) {
	m := newMachine(t)
	m.fast()
	m.work = filepath.Dir(m.state) // holds the state directory
	o := m.run("run", "say 1")
	require.Equal(t, "word 1 \n", o.out, o.err)
	require.Contains(t, o.err, "The default folder is used instead.")
	o = m.run("run", "--workspace", ".", "say 1")
	require.Equal(t, 1, o.code)
	require.Contains(t, o.err, "(invalid_workspace)")
}

func TestJSONOutputIsWholeAndOfThisConversationOnly(t *testing.T) {
	m := newMachine(t)
	m.fast()
	o := m.run("run", "--json", "say 3")
	require.Zero(t, o.code)
	require.Empty(t, o.err)
	var seq, n int64
	var text string
	session := ""
	for _, l := range strings.Split(strings.TrimSpace(o.out), "\n") {
		var e wire.Envelope
		require.NoError(t, json.Unmarshal([]byte(l), &e), l)
		if session == "" {
			session = e.SessionID
		}
		require.Equal(t, session, e.SessionID)
		if e.Event != nil {
			seq++
			require.Equal(t, seq, e.Event.Seq)
		}
		if e.Frame != nil {
			n++
			require.Equal(t, n, e.Frame.N)
			for _, d := range e.Frame.Deltas {
				text += d.Text
			}
		}
	}
	require.EqualValues(t, 3, seq)
	require.Equal(t, "word 1 word 2 word 3 ", text)

	o = m.run("run", "--json", "--bot", "nobody", "x")
	require.Equal(t, 1, o.code)
	var failed struct{ Error wire.Rejection }
	require.NoError(t, json.Unmarshal([]byte(o.out), &failed))
	require.Equal(t, wire.CodeInvalidBot, failed.Error.Code)
}

// Whether Mobius runs makes no difference to what a command says.
func TestCommandsGiveTheSameWithAndWithoutARunningMobius(t *testing.T) {
	m := newMachine(t)
	m.fast()
	require.Zero(t, m.run("run", "say 1").code)
	var page wire.SessionPage
	m.json(&page, "sessions")
	commands := [][]string{
		{"bots"}, {"bots", "--json"}, {"bots", "list"}, {"sessions"}, {"sessions", "--json"}, {"sessions", "--bot", "mobius"}, {"sessions", "list", "--all"},
		{"sessions", "show", page.Sessions[0].ID}, {"sessions", "show", page.Sessions[0].ID, "--json"}, {"providers"}, {"providers", "list", "--json"},
		{"sessions", "show", "x"}, {"sessions", "show", "x", "--json"}, {"version"},
		// These change what is listed, so they come last.
		{"run", "fail with 401"}, {"run", "say 2"}, {"run", "--bot", "@mobius", "read README.md"}, {"sessions", "delete", "x"},
	}
	alone := make([]outcome, len(commands))
	for i, c := range commands {
		alone[i] = m.run(c...)
	}
	for _, id := range m.sessions() {
		if id != page.Sessions[0].ID {
			require.Zero(t, m.run("sessions", "delete", id).code)
		}
	}
	server, _ := m.serve()
	for i, c := range commands {
		require.Equal(t, alone[i], m.run(c...), "%v", c)
	}
	require.Zero(t, server.stop().code)
}

func (m *machine) sessions() []string {
	m.t.Helper()
	var page wire.SessionPage
	m.json(&page, "sessions", "--all")
	ids := make([]string, len(page.Sessions))
	for i, s := range page.Sessions {
		ids[i] = s.ID
	}
	return ids
}

// Two commands that start the state at the same time are served one after the other (T299).
func TestCommandsAtTheSameTimeAreSerialised(t *testing.T) {
	m := newMachine(t)
	m.fast()
	var all []*process
	for range 6 {
		all = append(all, m.start("", "run", "say 20"))
	}
	for _, p := range all {
		o := p.wait()
		require.Zero(t, o.code, o.err)
		require.True(t, strings.HasSuffix(o.out, "word 20 \n"), o.out)
	}
	var page wire.SessionPage
	m.json(&page, "sessions")
	require.Len(t, page.Sessions, 6)
}

func TestACommandThatWaitsForAnotherSaysSoAndCanBeCancelled(t *testing.T) {
	m := newMachine(t)
	first := m.start("", "run", "--json", "say 3000") // at a reading pace
	first.line("word 1 ")
	second := m.start("", "bots")
	require.Eventually(t, func() bool {
		return strings.Contains(second.said(), "Waiting for another Mobius (process "+strconv.Itoa(first.cmd.Process.Pid)+", cli)")
	}, patience, lookEvery)
	second.signal(os.Interrupt)
	require.Equal(t, 130, second.wait().code)
	first.signal(os.Interrupt)
	require.Equal(t, 1, first.wait().code)
}

func TestCtrlCInterruptsTheTurnAndKeepsWhatWasSaid(t *testing.T) {
	for name, begin := range map[string]func(m *machine){
		"by itself":             func(*machine) {},
		"with a running Mobius": func(m *machine) { m.serve() },
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			begin(m)
			p := m.start("", "run", "--json", "say 3000")
			p.line("word 20 ")
			p.signal(os.Interrupt)
			o := p.wait()
			require.Equal(t, 1, o.code, o.err)
			require.Contains(t, o.out, `"status":"aborted"`)
			var page wire.SessionPage
			m.json(&page, "sessions")
			shown := m.run("sessions", "show", page.Sessions[0].ID)
			require.Contains(t, shown.out, "word 19 word 20 ")
			require.Contains(t, shown.out, "! The turn was ended (interrupted).")
			require.NotContains(t, shown.out, "word 3000")
			require.Equal(t, "word 1 word 2 \n", m.run("run", "--session", page.Sessions[0].ID, "say 2").out)
		})
	}
}

func TestARunThatLosesItsMobiusSaysSo(t *testing.T) {
	m := newMachine(t)
	server, _ := m.serve()
	p := m.start("", "run", "--json", "say 3000")
	p.line("word 1 ")
	server.signal(syscall.SIGKILL)
	o := p.wait()
	require.Equal(t, 1, o.code)
	require.Contains(t, o.out, `"gateway_stopped"`)
	server.wait()
	// What the killed one left behind, its socket and lock among it, is no obstacle.
	require.FileExists(t, filepath.Join(m.state, SocketName))
	var page wire.SessionPage
	m.json(&page, "sessions")
	require.Len(t, page.Sessions, 1)
	again, _ := m.serve()
	m.fastServed()
	require.Zero(t, again.stop().code)
	require.NoFileExists(t, filepath.Join(m.state, SocketName))
}

// fastServed asks the running Mobius something through its socket.
func (m *machine) fastServed() {
	m.t.Helper()
	info, err := os.Stat(filepath.Join(m.state, SocketName))
	require.NoError(m.t, err)
	require.Equal(m.t, os.FileMode(0o600), info.Mode().Perm())
	require.Zero(m.t, m.run("bots").code)
}

func TestServeSaysWhenItIsReadyAndEndsCleanly(t *testing.T) {
	m := newMachine(t)
	p, r := m.serve()
	require.Regexp(t, `^http://127\.0\.0\.1:\d+/$`, r.URL)
	req, err := http.NewRequest(http.MethodPost, r.URL+"api/System.Info", strings.NewReader("[]"))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+r.Token)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.Equal(t, 200, res.StatusCode)
	require.NoError(t, res.Body.Close())
	http.DefaultClient.CloseIdleConnections()
	// What is for the command line only is not served.
	req, err = http.NewRequest(http.MethodPost, r.URL+"api/Serving.Ready", strings.NewReader("[]"))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+r.Token)
	res, err = http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.Equal(t, 404, res.StatusCode)
	require.NoError(t, res.Body.Close())
	http.DefaultClient.CloseIdleConnections()

	p.signal(os.Interrupt)
	o := p.wait()
	require.Zero(t, o.code, o.err)
	require.Equal(t, 1, strings.Count(o.out, "\n"), "one line only")
	require.Contains(t, o.err, "Open "+r.URL+"#token="+r.Token+" in a browser.")
	require.NotContains(t, o.err, "Other computers")
	log, err := os.ReadFile(filepath.Join(m.state, "logs", "mobius.log"))
	if err == nil {
		require.NotContains(t, string(log), r.Token)
	}
}

func TestServeTakesAddressAndToken(t *testing.T) {
	m := newMachine(t)
	p, r := m.serve("--token", "a-token-of-my-own", "--addr", "0.0.0.0:0")
	require.Equal(t, "a-token-of-my-own", r.Token)
	require.Regexp(t, `^http://127\.0\.0\.1:\d+/$`, r.URL, "an address that a browser can open")
	require.Contains(t, p.stop().err, "Other computers can reach this address")
	m.env = append(m.env, "MOBIUS_TOKEN=from-the-environment")
	_, r = m.serve()
	require.Equal(t, "from-the-environment", r.Token)
}

func TestASecondStartSaysWhichProcessHasTheState(t *testing.T) {
	m := newMachine(t)
	_, r := m.serve()
	o := m.run("serve")
	require.Equal(t, 1, o.code)
	require.Contains(t, o.err, "process "+strconv.Itoa(r.PID)+", serve")
	require.Contains(t, o.err, "(state_locked)")
	require.Empty(t, o.out)

	o = m.run() // without a window: says where the page is
	require.Zero(t, o.code, o.err)
	require.Equal(t, "Mobius runs already (process "+strconv.Itoa(r.PID)+"): "+r.address()+"\n", o.out)
	var again ready
	m.json(&again)
	require.Equal(t, r, again)
	m.env = append(m.env, asWindow+"=open") // with one: shows it in a browser
	o = m.run()
	require.Zero(t, o.code, o.err)
	require.Contains(t, o.err, "browser "+r.address())
}

func TestASecondStartShowsTheFirstOnesWindow(t *testing.T) {
	m := newMachine(t)
	m.env = append(m.env, asWindow+"=open")
	p := m.start("")
	p.line("open")
	m.env = append(m.env, "XDG_ACTIVATION_TOKEN=from-the-desktop")
	o := m.run()
	require.Equal(t, outcome{0, "", ""}, o)
	p.line("shown from-the-desktop")
	require.Zero(t, m.run("bots").code, "commands reach the window's Mobius")
	require.Zero(t, p.stop().code)
}

func TestAWindowThatCannotOpenIsReplacedByTheBrowser(t *testing.T) {
	m := newMachine(t)
	m.env = append(m.env, asWindow+"=fail")
	p := m.start("")
	var r ready
	require.NoError(t, json.Unmarshal([]byte(p.line(`"url"`)), &r))
	require.Eventually(t, func() bool { return strings.Contains(p.said(), "browser "+r.address()) }, patience, lookEvery)
	require.Contains(t, p.said(), "The window could not be opened (no webview)")
	require.Zero(t, p.stop().code)
}

func TestAProgramWithoutAWindowServesAndSaysSo(t *testing.T) {
	m := newMachine(t)
	p := m.start("")
	p.line(`"url"`)
	require.Zero(t, p.stop().code)
	require.Contains(t, p.said(), "This program has no window; serving the page to a browser instead.")
}

func TestALongStateDirectoryWorks(t *testing.T) {
	m := newMachine(t)
	m.state = filepath.Join(m.state, strings.Repeat("long/", 30))
	m.env = append(m.env, "MOBIUS_STATE_DIR="+m.state)
	server, _ := m.serve()
	require.Zero(t, m.run("bots").code)
	o := server.stop()
	require.NotContains(t, o.err, "cannot reach")
	require.NoFileExists(t, filepath.Join(m.state, SocketName))
}

func TestSomethingElseInTheSocketsPlaceIsNotRemoved(t *testing.T) {
	m := newMachine(t)
	require.NoError(t, os.MkdirAll(m.state, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(m.state, SocketName), []byte("mine"), 0o600))
	server, _ := m.serve()
	require.Contains(t, server.stop().err, "is no socket")
	content, err := os.ReadFile(filepath.Join(m.state, SocketName))
	require.NoError(t, err)
	require.Equal(t, "mine", string(content))
}

func TestTheDoctorWorksOnADamagedDatabase(t *testing.T) {
	m := newMachine(t)
	m.fast()
	o := m.run("doctor")
	require.Zero(t, o.code, o.out)
	require.Contains(t, o.out, "[ok     ] Storage")

	require.NoError(t, os.WriteFile(filepath.Join(m.state, "mobius.db"), []byte(strings.Repeat("broken ", 4096)), 0o600))
	o = m.run("doctor")
	require.Equal(t, 1, o.code)
	require.Contains(t, o.out, "[error  ] Storage")
	require.Empty(t, o.err, "the report says it all")
	o = m.run("doctor", "--json")
	require.Equal(t, 1, o.code)
	var report wire.DoctorReport
	require.NoError(t, json.Unmarshal([]byte(o.out), &report), "one document")
	o = m.run("bots")
	require.Equal(t, 1, o.code)
	require.Contains(t, o.err, "(storage_damaged)")
}

func TestAKeyIsReadFromStandardInputAndSeenNowhere(t *testing.T) {
	const key = "sk-ant-canary-0123456789-WXYZ"
	m := newMachine(t)
	o := m.feed(key+"\n", "providers", "add", "anthropic", "--base-url", "http://127.0.0.1:1")
	require.Zero(t, o.code, o.err)
	require.NotContains(t, o.out+o.err, key)
	o = m.run("providers")
	require.Contains(t, o.out, "…WXYZ")
	require.NotContains(t, o.out, key)
	o = m.run("providers", "test", "anthropic")
	require.Equal(t, 1, o.code)
	require.Contains(t, o.err, "(model_unreachable)")
	require.NoError(t, filepath.WalkDir(m.state, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotContains(t, string(content), key, path)
		return nil
	}))

	o = m.feed("", "providers", "add", "anthropic")
	require.Equal(t, 1, o.code)
	require.Contains(t, o.err, "needs a key on standard input")
	o = m.feed("", "providers", "add", "nonsense")
	require.Contains(t, o.err, "The kinds are: ")
	require.Zero(t, m.feed("", "providers", "add", "ollama", "--name", "Mine").code)
}

func TestTheStateDirectoryCanBeNamed(t *testing.T) {
	m := newMachine(t)
	require.Zero(t, m.run("bots", "--state-dir", "other").code)
	require.FileExists(t, filepath.Join(m.work, "other", "mobius.db"))
	require.NoDirExists(t, m.state)
}

func TestAStateDirectoryThatCannotBeMadeIsSaidPlainly(t *testing.T) {
	m := newMachine(t)
	require.NoError(t, os.WriteFile(m.state, nil, 0o600))
	for _, args := range [][]string{{"bots"}, {"serve"}, {"doctor"}, {"run", "x"}, {}} {
		o := m.run(args...)
		require.Equal(t, 1, o.code, "%v", args)
		require.Contains(t, o.err, "make the state directory", "%v", args)
		require.NotContains(t, o.err, "goroutine")
	}
}
