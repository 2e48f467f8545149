package headless

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"mobius/backend/wire"
)

const (
	maxBody = 8 << 20 // bytes; a message is at most 1 MiB, and JSON may write each of its bytes as six
	// answerLimit is how long a client may take to read an answer.
	answerLimit = 60 * time.Second
	// keptBuffer is the largest buffer that is kept for the next answer.
	keptBuffer = 1 << 20
)

// jsonWriter is a result that writes itself, for what is stored as JSON already.
type jsonWriter interface{ WriteJSON(w io.Writer) error }

var (
	resultHead = []byte(`{"result":`)
	resultTail = []byte("}\n")
)

// answers holds buffers for encoding answers.
type answers struct{ pool sync.Pool }

func (a *answers) take() *bytes.Buffer {
	if b, ok := a.pool.Get().(*bytes.Buffer); ok {
		b.Reset()
		return b
	}
	return new(bytes.Buffer)
}

func (a *answers) give(b *bytes.Buffer) {
	if b.Cap() <= keptBuffer {
		a.pool.Put(b)
	}
}

func (s *Server) api(w http.ResponseWriter, r *http.Request) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !s.authorized(token) {
		fail(w, wire.Reject(wire.CodeUnauthorized, "The token is missing or wrong. Open the address that Mobius printed at its start."))
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		failAs(w, http.StatusMethodNotAllowed, wire.Reject(wire.CodeInvalidRequest, "Methods are called with POST."))
		return
	}
	body := s.answers.take()
	defer s.answers.give(body)
	if _, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			failAs(w, http.StatusRequestEntityTooLarge, wire.Reject(wire.CodeInvalidRequest, "The body is over %d MiB.", maxBody>>20))
			return
		}
		fail(w, wire.Reject(wire.CodeInvalidRequest, "The body could not be read."))
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/api/")
	result, err := s.caller.Call(name, body.Bytes())
	if err != nil {
		fail(w, err)
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerLimit)) // where there is none, the answer goes without
	if err := s.answer(w, result); err != nil {
		slog.Debug("an answer was not delivered", "method", name, "error", err)
	}
}

// answer sends a result. One that writes itself goes straight to the client; a failure in the middle of it cuts the
// connection, so that the client sees no half answer.
func (s *Server) answer(w http.ResponseWriter, result any) error {
	jsonHeaders(w)
	if direct, ok := result.(jsonWriter); ok {
		out := bufio.NewWriterSize(w, 64<<10)
		_, _ = out.Write(resultHead) // a failure is kept and comes back from Flush
		err := direct.WriteJSON(out)
		_, _ = out.Write(resultTail)
		if err == nil {
			err = out.Flush()
		}
		if err != nil {
			slog.Debug("an answer was cut", "error", err)
			panic(http.ErrAbortHandler)
		}
		return nil
	}
	buffer := s.answers.take()
	defer s.answers.give(buffer)
	buffer.Write(resultHead)
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(result); err != nil {
		slog.Error("a result could not be encoded", "error", err)
		fail(w, wire.Reject(wire.CodeGatewayError, "Something went wrong inside Mobius. The log has the details."))
		return err
	}
	buffer.Truncate(buffer.Len() - 1) // the encoder's line end
	buffer.Write(resultTail)
	_, err := w.Write(buffer.Bytes())
	return err
}

// statuses gives rejection codes the HTTP status that fits; others are 409, since it is the state that does not allow it.
var statuses = map[wire.Code]int{
	wire.CodeInvalidRequest: http.StatusBadRequest, wire.CodeUnauthorized: http.StatusForbidden, wire.CodeUnknownMethod: http.StatusNotFound,
	wire.CodeUnknownSession: http.StatusNotFound, wire.CodeReplayUnavailable: http.StatusGone, wire.CodeGatewayStopped: http.StatusGone,
	wire.CodeInvalidBot: http.StatusUnprocessableEntity, wire.CodeInvalidConfig: http.StatusUnprocessableEntity,
	wire.CodeInvalidProvider: http.StatusUnprocessableEntity, wire.CodeInvalidWorkspace: http.StatusUnprocessableEntity,
	wire.CodeQueueFull: http.StatusTooManyRequests, wire.CodeSessionLimit: http.StatusTooManyRequests,
	wire.CodeGatewayError: http.StatusInternalServerError, wire.CodeStorageDamaged: http.StatusInternalServerError,
	wire.CodeGatewayBusy: http.StatusServiceUnavailable, wire.CodeStorageBusy: http.StatusServiceUnavailable,
	wire.CodeStorageReadOnly: http.StatusServiceUnavailable, wire.CodeKeyStoreUnavailable: http.StatusServiceUnavailable,
	wire.CodeBotDeletionRecovery: http.StatusServiceUnavailable, wire.CodeStorageFull: http.StatusInsufficientStorage,
}

// statusOf gives the status of a code. What a model provider answered is a fault behind this server, whatever it was.
func statusOf(code wire.Code) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	if strings.HasPrefix(string(code), "model_") {
		return http.StatusBadGateway
	}
	return http.StatusConflict
}

func fail(w http.ResponseWriter, err error) {
	r := wire.AsRejection(err)
	failAs(w, statusOf(r.Code), r)
}

func failAs(w http.ResponseWriter, status int, r *wire.Rejection) {
	jsonHeaders(w)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": r}) // a client that is gone needs no answer
}

func jsonHeaders(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
}
