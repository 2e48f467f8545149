package session

import (
	"time"

	"mobius/backend/agent"
	"mobius/backend/llm"
	"mobius/backend/store"
	"mobius/backend/wire"
)

// The bounds of a session.
const (
	mailboxSize    = 128
	maxText        = 1 << 20 // bytes of one message
	maxAttachments = 16
	maxLastMessage = 512 // bytes
	// MaxTitle is how long a title may be, in bytes.
	MaxTitle = 256
	// DefaultQueueLimit is how many messages may wait for a turn to end.
	DefaultQueueLimit = 64
	toolGrace         = 1500 * time.Millisecond
	// resumeWithin is how long after its message a turn that a crash cut before the model said anything is run again.
	resumeWithin = 10 * time.Minute
	titleTimeout = 60 * time.Second
	// updatedEvery is the grain of a session's updated_at, in milliseconds. Lists are ordered by it, so each change of it
	// writes pages of an index: once a second is enough for an order that a person sees.
	updatedEvery = 1000
)

// Clock is the time source.
type Clock interface {
	Now() time.Time
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// Model is a model that a Bot's choice resolved to.
type Model struct {
	llm.Model
	Provider  string // instance id
	ID        string
	MaxOutput int64
	Attempts  llm.Attempts
	Cost      func(llm.Usage) int64 // millionths of a US dollar
}

// Models resolves a Bot's choice of model. Its error is a Rejection that the person can act on.
type Models interface {
	Resolve(choice wire.ProviderChoice) (*Model, error)
}

// Toolbox gives the tools that a Bot has in a workspace, and what its prompt says of them.
type Toolbox interface {
	Open(bot wire.Bot, session wire.Session) (agent.Tools, string, error)
}

// Deps is what a session works with.
type Deps struct {
	Store   *store.Store
	Clock   Clock
	Models  Models
	Toolbox Toolbox
	// Publish hands an envelope to the clients.
	Publish func(wire.Envelope)
	// Changed says that the session's record in lists is different now.
	Changed func(wire.Session)
	// Explain turns the error that ended a turn into what the person reads.
	Explain    func(error) *wire.Rejection
	QueueLimit int
	// Titles tells whether the model may be asked for a title.
	Titles func() bool
}

// SystemClock is the real time.
type SystemClock struct{}

// Now gives the time.
func (SystemClock) Now() time.Time { return time.Now() }

// AfterFunc calls f after d unless stopped before.
func (SystemClock) AfterFunc(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
