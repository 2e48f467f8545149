package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"mobius/backend/llm"
)

// ErrStepLimit ends a turn that used all its model requests.
var ErrStepLimit = errors.New("the turn used all its model steps")

// Tools carries out tool calls.
type Tools interface {
	// List gives the tools that the model may call.
	List() []llm.Tool
	// Run carries out one call; arguments that are not valid and unknown names give an error result. It ends soon after ctx.
	Run(ctx context.Context, call llm.Block) Result
}

// Result is the outcome of one tool call.
type Result struct {
	Output  string
	IsError bool
}

// StepRecord is one model answer, or what had arrived of it when it was cut.
type StepRecord struct {
	Index   int
	Attempt int
	Blocks  []llm.Block
	Finish  string // a llm.Finish, or "interrupted" or "error"
	Model   string
	Usage   llm.Usage
	Final   bool // no call in it has to be carried out: the turn ends unless something steers it on
	Last    bool // the turn has no step left, so nothing can steer it on
}

// FinishInterrupted and FinishError are the finish of an answer that was cut.
const (
	FinishInterrupted = "interrupted"
	FinishError       = "error"
)

// ToolRecord is the answer to one tool call.
type ToolRecord struct {
	Call        llm.Block
	Result      Result
	Interrupted bool
	Duration    time.Duration
}

// Recorder makes durable and shows what a turn does. Its methods are called from the turn's goroutine.
type Recorder interface {
	// Steering gives the messages that steer the turn and were not given before, once they are durable.
	Steering(ctx context.Context) ([]*llm.Message, error)
	// AttemptStarted says that a request is about to be sent; what the attempt before it streamed is void.
	AttemptStarted(step, attempt int)
	// Delta shows one piece.
	Delta(p llm.Piece)
	// Waiting says that the request failed and will be tried again.
	Waiting(w llm.Wait)
	// StepCompleted makes an answer durable. For a Final one that is not the Last it tells whether
	// the turn goes on, since something steers it.
	StepCompleted(r StepRecord) (goOn bool, err error)
	// ToolStarted says that a call is being carried out.
	ToolStarted(call llm.Block)
	// ToolCompleted makes a result durable.
	ToolCompleted(r ToolRecord) error
}

// Turn is what a turn runs with.
type Turn struct {
	Model     llm.Model
	Attempts  llm.Attempts
	Tools     Tools
	System    string
	Effort    string
	MaxOutput int64
	CacheKey  string
	MaxSteps  int
	Now       func() time.Time
	// ToolGrace is how long an interrupted tool may take to end before its turn goes on without it.
	ToolGrace time.Duration
}

// Run runs the turn on history, whose last message is the one to answer, and gives the history after it. The error is
// nil when the model answered; ctx's error when the turn was interrupted; [ErrStepLimit]; an *llm.Error; or the
// Recorder's. Whatever happens, what was streamed has been recorded and every call that was recorded is answered.
func (t *Turn) Run(ctx context.Context, history []*llm.Message, rec Recorder) ([]*llm.Message, error) {
	tools := t.Tools.List()
	for step := 0; step < t.MaxSteps; step++ {
		if ctx.Err() != nil {
			return history, context.Cause(ctx) // what would steer it stays for the next turn
		}
		steering, err := rec.Steering(ctx)
		if err != nil {
			return history, err
		}
		history = append(history, steering...)
		req := &llm.Request{System: t.System, Messages: Repair(history), Tools: tools, Effort: t.Effort, MaxOutput: t.MaxOutput, CacheKey: t.CacheKey}
		answer, attempt, err := t.ask(ctx, req, step, rec)
		if err != nil {
			return history, err
		}
		calls, runnable := callsOf(answer)
		record := StepRecord{Index: step, Attempt: attempt, Blocks: answer.Blocks, Finish: string(answer.Finish), Model: answer.Model, Usage: answer.Usage, Final: len(calls) == 0, Last: step == t.MaxSteps-1}
		goOn, err := rec.StepCompleted(record)
		if err != nil {
			return history, err
		}
		history = append(history, llm.NewMessage(llm.RoleAssistant, answer.Blocks...))
		if len(calls) > 0 {
			results, err := t.runCalls(ctx, calls, runnable, rec)
			history = append(history, llm.NewMessage(llm.RoleTool, results...))
			if err != nil {
				return history, err
			}
		} else if !goOn {
			return history, nil
		}
	}
	return history, ErrStepLimit
}

// ask sends one request with its retries. A failed or cut answer is recorded with what had arrived of its last attempt.
func (t *Turn) ask(ctx context.Context, req *llm.Request, step int, rec Recorder) (*llm.Answer, int, error) {
	var answer *llm.Answer
	var part collector
	last := 0
	err := t.Attempts(ctx, rec.Waiting, func(ctx context.Context, attempt int) error {
		last, part = attempt, collector{}
		rec.AttemptStarted(step, attempt)
		var err error
		answer, err = t.Model.Stream(ctx, req, func(p llm.Piece) {
			part.add(p)
			rec.Delta(p)
		})
		if err == nil && len(answer.Blocks) == 0 {
			err = &llm.Error{Kind: llm.ErrEmpty, Message: "the model ended its answer without saying anything"}
		}
		return err
	})
	if err == nil {
		return answer, last, nil
	}
	finish := FinishError
	if ctx.Err() != nil {
		finish, err = FinishInterrupted, context.Cause(ctx)
	}
	if kept := part.spoken(); len(kept) > 0 {
		if _, e := rec.StepCompleted(StepRecord{Index: step, Attempt: last, Blocks: kept, Finish: finish}); e != nil {
			return nil, last, errors.Join(err, e)
		}
	}
	return nil, last, err
}

// callsOf gives the calls of an answer and how many of them, from the first, can be carried out: an answer that was cut
// at its output limit may end in half a call.
func callsOf(a *llm.Answer) (calls []llm.Block, runnable int) {
	for _, b := range a.Blocks {
		if b.Kind == llm.ToolCall {
			calls = append(calls, b)
		}
	}
	runnable = len(calls)
	if a.Finish == llm.FinishLength && runnable > 0 && a.Blocks[len(a.Blocks)-1].Kind == llm.ToolCall {
		runnable--
	}
	return calls, runnable
}

func (t *Turn) runCalls(ctx context.Context, calls []llm.Block, runnable int, rec Recorder) ([]llm.Block, error) {
	results := make([]llm.Block, 0, len(calls))
	for i, call := range calls {
		record := ToolRecord{Call: call}
		switch {
		case ctx.Err() != nil:
			record.Interrupted, record.Result = true, Result{Output: "Interrupted before it was started; nothing was done.", IsError: true}
		case i >= runnable:
			record.Result = Result{Output: "This call was cut off at the output limit, so it was not carried out. Continue with a smaller step.", IsError: true}
		case !validArgs(call.Args):
			record.Result = Result{Output: "The arguments are not a valid JSON object, so the call was not carried out. Send the call again with valid JSON.", IsError: true}
		default:
			rec.ToolStarted(call)
			record = t.runCall(ctx, call)
		}
		results = append(results, llm.Block{Kind: llm.ToolResult, CallID: call.CallID, Name: call.Name, Text: record.Result.Output, IsError: record.Result.IsError})
		if err := rec.ToolCompleted(record); err != nil {
			return results, err
		}
	}
	if ctx.Err() != nil {
		return results, context.Cause(ctx)
	}
	return results, nil
}

// runCall carries out one call. A tool that does not end after an interrupt is left behind, so that Stop always frees.
func (t *Turn) runCall(ctx context.Context, call llm.Block) ToolRecord {
	began := t.Now()
	done := make(chan Result, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- Result{Output: fmt.Sprintf("The tool failed: %v", p), IsError: true}
			}
		}()
		done <- t.Tools.Run(ctx, call)
	}()
	record := ToolRecord{Call: call}
	select {
	case record.Result = <-done:
	case <-ctx.Done():
		grace := time.NewTimer(t.ToolGrace)
		defer grace.Stop()
		record.Interrupted = true
		select {
		case record.Result = <-done:
			record.Result.IsError = true
			record.Result.Output = strings.TrimSpace(record.Result.Output + "\n" + InterruptedOutput)
		case <-grace.C:
			record.Result = Result{Output: InterruptedOutput, IsError: true}
		}
	}
	record.Duration = t.Now().Sub(began)
	return record
}

// validArgs tells whether the arguments are a JSON object; none at all count as an empty one.
func validArgs(args string) bool {
	args = strings.TrimSpace(args)
	return args == "" || args[0] == '{' && json.Valid([]byte(args))
}

// collector keeps what an attempt has streamed.
type collector struct {
	blocks []llm.Block
	texts  [][]byte
}

func (c *collector) add(p llm.Piece) {
	for p.Index >= len(c.blocks) {
		c.blocks = append(c.blocks, llm.Block{Kind: p.Kind, CallID: p.CallID, Name: p.Name})
		c.texts = append(c.texts, nil)
	}
	c.texts[p.Index] = append(c.texts[p.Index], p.Text...)
}

// spoken gives the text and reasoning that had arrived. Calls are left out: a cut answer's calls were not carried out.
func (c *collector) spoken() []llm.Block {
	var out []llm.Block
	for i, b := range c.blocks {
		b.Text = string(c.texts[i])
		if b.Kind != llm.ToolCall && b.Text != "" {
			out = append(out, b)
		}
	}
	return out
}
