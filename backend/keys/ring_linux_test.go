package keys

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"
)

const (
	usual = `<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>`
	// mute lets no answer through.
	mute = `<allow send_destination="*"/>`
)

// bus starts a session bus of its own for this test, so that nothing reaches the person's.
func bus(t *testing.T, policy string) []string {
	t.Helper()
	daemon, err := exec.LookPath("dbus-daemon")
	if err != nil {
		t.Skip("dbus-daemon is not installed")
	}
	dir := t.TempDir()
	env := append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+filepath.Join(dir, "data"), "XDG_RUNTIME_DIR="+dir, "XDG_CONFIG_HOME="+filepath.Join(dir, "config"))
	config := filepath.Join(dir, "bus.conf") // without activation: only what the test starts is there
	require.NoError(t, os.WriteFile(config, []byte(`<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:dir=`+dir+`</listen>
<policy context="default">`+policy+`</policy></busconfig>`), 0o600))
	cmd := exec.Command(daemon, "--config-file="+config, "--nofork", "--print-address=1")
	cmd.Env = env
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	address, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	address = strings.TrimSpace(address)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	return append(env, "DBUS_SESSION_BUS_ADDRESS="+address)
}

// keyringDaemon starts a real Secret Service with an unlocked login collection.
func keyringDaemon(t *testing.T, env []string) {
	t.Helper()
	path, err := exec.LookPath("gnome-keyring-daemon")
	if err != nil {
		t.Skip("gnome-keyring-daemon is not installed")
	}
	cmd := exec.Command(path, "--foreground", "--unlock", "--components=secrets")
	cmd.Env, cmd.Stdin = env, strings.NewReader("password")
	var said bytes.Buffer
	cmd.Stderr = &said
	conn, err := dbus.ConnectSessionBus()
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.AddMatchSignal(dbus.WithMatchInterface("org.freedesktop.DBus"), dbus.WithMatchMember("NameOwnerChanged")))
	owners := make(chan *dbus.Signal, 64)
	conn.Signal(owners)
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	for {
		select {
		case s := <-owners:
			if s != nil && len(s.Body) == 3 && s.Body[0] == secretService {
				return
			}
		case err := <-ended:
			ended <- err
			t.Skipf("gnome-keyring-daemon does not run here: %v %s", err, said.String())
		}
	}
}

func TestWithoutASessionBusNoneIsStarted(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "nobody"))
	state, reason := systemRing{}.State(t.Context())
	require.Equal(t, ringAbsent, state)
	require.Equal(t, "there is no session bus", reason)
}

func TestABusWithoutAKeyStoreIsAbsent(t *testing.T) {
	bus(t, usual)
	state, reason := systemRing{}.State(t.Context())
	require.Equal(t, ringAbsent, state)
	require.Equal(t, "no program on this computer offers a key store", reason)
}

func TestABusThatDoesNotAnswerIsGivenUp(t *testing.T) {
	bus(t, mute)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	state, reason := systemRing{}.State(ctx)
	require.Equal(t, ringAbsent, state)
	require.Equal(t, "the session bus does not answer", reason)
}

// One test for all of it: the library keeps one connection to the bus for the life of the process.
func TestARealKeyStoreKeepsKeysAndSaysWhenItIsLocked(t *testing.T) {
	keyringDaemon(t, bus(t, usual))
	dir := t.TempDir()
	s := New(dir, ModeAuto)
	require.NoError(t, s.Set("a", secret), s.Where())
	require.NoFileExists(t, filepath.Join(dir, "keys.age"))
	require.Equal(t, secret, get(t, s, "a"))

	conn, err := dbus.ConnectSessionBus()
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	var locked []dbus.ObjectPath
	var prompt dbus.ObjectPath
	require.NoError(t, conn.Object(secretService, secretPath).Call("org.freedesktop.Secret.Service.Lock", 0, []dbus.ObjectPath{loginPath}).Store(&locked, &prompt))
	require.Len(t, locked, 1)

	again := New(dir, ModeAuto)
	_, err = again.Get("a")
	requireUnavailable(t, err, "locked")
	requireUnavailable(t, again.Set("a", other), "locked")
	require.NoFileExists(t, filepath.Join(dir, "keys.age"))
}
