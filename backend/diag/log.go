// Package diag is for finding out what is wrong: the log, which never holds a secret, and the doctor's checks.
package diag

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"gopkg.in/natefinch/lumberjack.v2"
)

// The log is at most 5 files of 5 MB.
const (
	logMegabytes = 5
	logBackups   = 4
)

// OpenLog sends what the program logs to logs/mobius.log in the state directory, without what the redactor knows or takes
// for a secret. The file is readable by its owner alone; closing it ends the log. level is debug, info (also for ""), warn
// or error.
func (r *Redactor) OpenLog(stateDir, level string) (io.Closer, error) {
	least := slog.LevelInfo
	if level != "" {
		if err := least.UnmarshalText([]byte(level)); err != nil {
			return nil, fmt.Errorf("the log level %q is none of debug, info, warn and error", level)
		}
	}
	path := filepath.Join(stateDir, "logs", "mobius.log")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the log: %w", err)
	}
	// New files get the rights of the one before them, so one that was opened to others would stay so for ever.
	if err := os.Chmod(path, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("make the log private: %w", err)
	}
	file := &lumberjack.Logger{Filename: path, MaxSize: logMegabytes, MaxBackups: logBackups}
	slog.SetDefault(slog.New(r.Handler(slog.NewJSONHandler(file, &slog.HandlerOptions{Level: least}))))
	return file, nil
}
