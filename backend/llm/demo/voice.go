package demo

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mobius/backend/llm"
)

// pieceBytes is how long a piece of prose is at least: about a word and a half.
const pieceBytes = 8

// errCut ends an answer that has reached the output limit.
var errCut = errors.New("the answer has reached its limit")

// rhythm is by how many quarters of the pace the pauses vary, so that the words come as uneven as from a real model.
var rhythm = [...]int{4, 3, 5, 4, 6, 3, 4, 3}

// voice says one answer, piece by piece.
type voice struct {
	ctx     context.Context //nolint:containedctx // lives as long as the request
	model   *Model
	builder *llm.Builder
	spoken  int  // pieces so far
	left    int  // bytes until the output limit, negative = no limit
	cut     bool // the limit was reached
}

// pause waits between two pieces and ends the answer with its context.
func (v *voice) pause() error {
	if err := v.ctx.Err(); err != nil {
		return context.Cause(v.ctx)
	}
	v.spoken++
	if v.model.pace == 0 || v.spoken == 1 {
		return nil
	}
	return v.model.wait(v.ctx, v.model.pace*time.Duration(rhythm[v.spoken%len(rhythm)])/4)
}

// fit gives how much of a piece the output limit allows.
func (v *voice) fit(piece string) string {
	if v.left < 0 {
		return piece
	}
	if len(piece) > v.left {
		v.cut = true
		n := v.left
		for n > 0 && !utf8.RuneStart(piece[n]) {
			n--
		}
		piece = piece[:n]
	}
	v.left -= len(piece)
	return piece
}

// say speaks text or reasoning.
func (v *voice) say(kind llm.BlockKind, text string) error {
	for text != "" {
		n := pieceEnd(text)
		if err := v.piece(kind, text[:n]); err != nil {
			return err
		}
		text = text[n:]
	}
	return nil
}

func (v *voice) piece(kind llm.BlockKind, piece string) error {
	if err := v.pause(); err != nil {
		return err
	}
	v.builder.Append(kind, v.fit(piece))
	if v.cut {
		return errCut
	}
	return nil
}

// pieceEnd gives where the next piece of a text ends: behind the space that follows its first bytes.
func pieceEnd(text string) int {
	if len(text) <= pieceBytes {
		return len(text)
	}
	i := strings.IndexAny(text[pieceBytes:], " \n")
	if i < 0 || i > 2*pieceBytes {
		n := min(len(text), 3*pieceBytes)
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		return n
	}
	return pieceBytes + i + 1
}

// count says "word 1 word 2 …", exactly one piece a word.
func (v *voice) count(n int) error {
	word := make([]byte, 0, 24)
	for i := 1; i <= n; i++ {
		word = strconv.AppendInt(append(word[:0], "word "...), int64(i), 10)
		if err := v.piece(llm.Text, string(append(word, ' '))); err != nil {
			return err
		}
	}
	return nil
}

// call calls a tool with arguments as they are, valid or not.
func (v *voice) call(id, name, args string) error {
	if err := v.pause(); err != nil {
		return err
	}
	index := v.builder.Open(llm.Block{Kind: llm.ToolCall, CallID: id, Name: name})
	for args != "" {
		n := pieceEnd(args)
		if err := v.pause(); err != nil {
			return err
		}
		v.builder.Add(index, v.fit(args[:n]))
		if v.cut {
			return errCut
		}
		args = args[n:]
	}
	return nil
}
