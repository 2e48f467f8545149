package diag

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"reflect"
	"strings"
	"time"
)

// Bounds of one logged value.
const (
	maxDepth = 6
	maxItems = 100
	maxText  = 16 << 10 // bytes
	// maxSearched is how much of a text is searched for secrets, and longest how long one may be that is cut there.
	maxSearched = 1 << 20
	longest     = 8 << 10
)

// handler redacts by attribute name and by value before next sees anything.
type handler struct {
	redactor *Redactor
	next     slog.Handler
	hide     bool // within a group whose name says that all of it is secret
}

// Handler makes a handler that takes secrets out of messages and attributes before next sees them.
func (r *Redactor) Handler(next slog.Handler) slog.Handler { return handler{redactor: r, next: next} }

// Enabled implements slog.Handler.
func (h handler) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }

// Handle implements slog.Handler.
func (h handler) Handle(ctx context.Context, record slog.Record) error {
	clean := slog.NewRecord(record.Time, record.Level, h.text(record.Message), record.PC)
	record.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.attr(a))
		return true
	})
	return h.next.Handle(ctx, clean)
}

// WithAttrs implements slog.Handler.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = h.attr(a)
	}
	h.next = h.next.WithAttrs(clean)
	return h
}

// WithGroup implements slog.Handler.
func (h handler) WithGroup(name string) slog.Handler {
	secret, _ := secretName(name)
	h.hide = h.hide || secret
	h.next = h.next.WithGroup(h.redactor.Redact(name))
	return h
}

func (h handler) attr(a slog.Attr) slog.Attr {
	secret, amounts := secretName(a.Key)
	key := h.redactor.Redact(a.Key)
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindInt64, slog.KindUint64, slog.KindFloat64, slog.KindBool, slog.KindDuration, slog.KindTime:
		if h.hide || secret && !amounts {
			return slog.String(key, hidden)
		}
		return slog.Attr{Key: key, Value: v}
	case slog.KindGroup:
		if h.hide || secret {
			return slog.String(key, hidden)
		}
		group := v.Group()
		clean := make([]slog.Attr, len(group))
		for i, member := range group {
			clean[i] = h.attr(member)
		}
		return slog.Attr{Key: key, Value: slog.GroupValue(clean...)}
	}
	if h.hide || secret {
		return slog.String(key, hidden)
	}
	if v.Kind() == slog.KindString {
		return slog.String(key, h.text(v.String()))
	}
	return slog.Any(key, h.any(v.Any()))
}

// any gives a value of plain maps, lists and texts, with the secrets of any depth taken out. A value that cannot be
// walked without harm is told as that.
func (h handler) any(value any) (clean any) {
	defer func() {
		if p := recover(); p != nil {
			clean = fmt.Sprintf("[a %T that cannot be logged]", value)
		}
	}()
	return h.walk(reflect.ValueOf(value), 0)
}

func (h handler) walk(v reflect.Value, depth int) any {
	if !v.IsValid() {
		return nil
	}
	if depth > maxDepth {
		return "…"
	}
	if v.CanInterface() {
		switch known := v.Interface().(type) {
		case url.URL:
			return h.text(known.String())
		case *url.Userinfo:
			return hidden
		case error:
			return h.text(known.Error())
		case time.Time:
			return known
		case fmt.Stringer:
			return h.text(known.String())
		case slog.LogValuer:
			return h.walk(reflect.ValueOf(known.LogValue().Resolve().Any()), depth+1)
		}
	}
	switch v.Kind() {
	case reflect.String:
		return h.text(v.String())
	case reflect.Bool:
		return v.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return v.Uint()
	case reflect.Float32, reflect.Float64:
		return fmt.Sprint(v.Float()) // JSON has no NaN
	case reflect.Pointer, reflect.Interface:
		return h.walk(v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		return h.list(v, depth)
	case reflect.Map:
		out := map[string]any{}
		for _, k := range v.MapKeys() {
			if len(out) == maxItems {
				break
			}
			h.member(out, fmt.Sprint(h.walk(k, depth+1)), v.MapIndex(k), depth)
		}
		return out
	case reflect.Struct:
		out := map[string]any{}
		for i := range v.NumField() {
			h.member(out, v.Type().Field(i).Name, v.Field(i), depth)
		}
		return out
	}
	return "[" + v.Type().String() + "]"
}

func (h handler) list(v reflect.Value, depth int) any {
	if v.Type().Elem().Kind() == reflect.Uint8 { // as numbers or base64 a secret in it could be read, but not found
		raw := make([]byte, min(v.Len(), maxSearched+1))
		for i := range raw {
			raw[i] = byte(v.Index(i).Uint())
		}
		return h.text(string(raw))
	}
	out := make([]any, 0, min(v.Len(), maxItems))
	for i := range min(v.Len(), maxItems) {
		out = append(out, h.walk(v.Index(i), depth+1))
	}
	return out
}

func (h handler) member(out map[string]any, name string, v reflect.Value, depth int) {
	secret, amounts := secretName(name)
	if secret && !(amounts && number(v)) {
		out[name] = hidden
		return
	}
	out[name] = h.walk(v, depth+1)
}

func number(v reflect.Value) bool {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v.CanInt() || v.CanUint() || v.CanFloat() || v.Kind() == reflect.Bool
}

// text redacts a text and then bounds it: the other way round, what is left of a secret at the end would not be found.
func (h handler) text(text string) string {
	whole := len(text) <= maxSearched
	if !whole {
		text = text[:maxSearched]
	}
	text = h.redactor.Redact(text)
	if !whole {
		text = text[:max(0, len(text)-longest)]
	}
	if len(text) > maxText {
		return strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return text
}
