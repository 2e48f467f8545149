// Package diag is for finding out what is wrong: the log, which never holds a secret, and the doctor's checks.
package diag

import (
	"io"
	"log/slog"
	"path/filepath"

	"gopkg.in/natefinch/lumberjack.v2"
)

const (
	logMegabytes = 5
	logBackups   = 4
)

// Log sends what the program logs to logs/mobius.log in the state directory. The file rotates at 5 MB and four older ones
// are kept; it is made with the first line, readable by its owner alone.
func Log(stateDir string) (io.Closer, error) {
	file := &lumberjack.Logger{Filename: filepath.Join(stateDir, "logs", "mobius.log"), MaxSize: logMegabytes, MaxBackups: logBackups}
	slog.SetDefault(slog.New(NewRedactor(slog.NewJSONHandler(file, &slog.HandlerOptions{Level: slog.LevelInfo}))))
	return file, nil
}
