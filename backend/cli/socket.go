package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"
)

// SocketName is the control socket inside the state directory.
const SocketName = "control.sock"

const dialLimit = 300 * time.Millisecond

// listenControl listens on the control socket of a state directory, for its owner alone. The caller holds the directory's
// lock, so a socket that is there is left over, unless somebody answers on it.
func listenControl(dir string) (net.Listener, error) {
	path := filepath.Join(dir, SocketName)
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.Mode().Type() != fs.ModeSocket:
		return nil, fmt.Errorf("%s is no socket; move it away", path)
	default:
		if conn, err := dialControl(context.Background(), dir); err == nil {
			return nil, errors.Join(fmt.Errorf("another program answers on %s", path), conn.Close())
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	short, done, err := shortPath(dir, SocketName)
	if err != nil {
		return nil, err
	}
	defer done()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: short, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // its name may be one that is gone by then
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close(), os.Remove(path))
	}
	return &controlListener{l, path}, nil
}

// controlListener removes its socket when it is closed.
type controlListener struct {
	net.Listener
	path string
}

func (l *controlListener) Close() error {
	err := l.Listener.Close()
	if gone := os.Remove(l.path); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

// dialControl connects to the Mobius that has a state directory open.
func dialControl(ctx context.Context, dir string) (net.Conn, error) {
	short, done, err := shortPath(dir, SocketName)
	if err != nil {
		return nil, err
	}
	defer done()
	return (&net.Dialer{Timeout: dialLimit}).DialContext(ctx, "unix", short)
}
