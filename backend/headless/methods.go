package headless

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	"mobius/backend/wire"
)

// method is one exported method of a service.
type method struct {
	fn   reflect.Value
	args []reflect.Type
	// result tells whether there is a result before the error.
	result bool
}

var errorType = reflect.TypeFor[error]()

// methods finds what can be called: every exported method of each service whose last result is an error.
func methods(services []any) map[string]method {
	out := map[string]method{}
	for _, s := range services {
		v := reflect.ValueOf(s)
		name := v.Type().Elem().Name()
		for i := range v.NumMethod() {
			t := v.Method(i).Type()
			n := t.NumOut()
			if n == 0 || n > 2 || t.Out(n-1) != errorType || t.IsVariadic() {
				continue
			}
			m := method{fn: v.Method(i), result: n == 2}
			for j := range t.NumIn() {
				m.args = append(m.args, t.In(j))
			}
			out[name+"."+v.Type().Method(i).Name] = m
		}
	}
	return out
}

// Caller calls services by name with encoded arguments.
type Caller struct{ methods map[string]method }

// NewCaller makes a caller of services, which are pointers to structs; a service's name is its type's.
func NewCaller(services []any) *Caller { return &Caller{methods: methods(services)} }

// Methods lists what can be called as "Service.Method", in order.
func (c *Caller) Methods() []string {
	names := make([]string, 0, len(c.methods))
	for name := range c.methods {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Call calls "Service.Method" with a JSON array of arguments. Its error is a *wire.Rejection. A panic is logged and
// becomes an error without its text, which could hold what a client must not see.
func (c *Caller) Call(name string, args []byte) (result any, err error) {
	m, ok := c.methods[name]
	if !ok {
		return nil, wire.Reject(wire.CodeUnknownMethod, "There is no method %s.", short(name))
	}
	values, err := m.decode(args)
	if err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			slog.Error("method panicked", "method", name, "panic", p, "stack", string(debug.Stack()))
			result, err = nil, wire.Reject(wire.CodeGatewayError, "Something went wrong inside Mobius. The log has the details.")
		}
	}()
	result, err = m.call(values)
	if err != nil {
		return nil, wire.AsRejection(err)
	}
	return result, nil
}

func (m method) call(args []reflect.Value) (any, error) {
	out := m.fn.Call(args)
	if err, _ := out[len(out)-1].Interface().(error); err != nil {
		return nil, err
	}
	if !m.result {
		return nil, nil
	}
	return out[0].Interface(), nil
}

// decode reads the arguments strictly: their number, their types and their members must be the method's.
func (m method) decode(body []byte) ([]reflect.Value, error) {
	var raw []json.RawMessage
	if body = bytes.TrimSpace(body); len(body) > 0 {
		if err := json.Unmarshal(body, &raw); err != nil || body[0] != '[' {
			return nil, wire.Reject(wire.CodeInvalidRequest, "The body is not a JSON array of arguments.")
		}
	}
	if len(raw) != len(m.args) {
		return nil, wire.Reject(wire.CodeInvalidRequest, "The number of arguments is %d, not %d.", len(m.args), len(raw))
	}
	values := make([]reflect.Value, len(raw))
	for i, text := range raw {
		v := reflect.New(m.args[i])
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(v.Interface()); err != nil {
			return nil, wire.Reject(wire.CodeInvalidRequest, "Argument %d is not right: %s.", i+1, describe(err))
		}
		values[i] = v.Elem()
	}
	return values, nil
}

// describe words a decoding error without Go's type names.
func describe(err error) string {
	var t *json.UnmarshalTypeError
	switch {
	case errors.As(err, &t) && t.Field != "":
		return fmt.Sprintf("%q cannot be this %s", short(t.Field), t.Value)
	case errors.As(err, &t):
		return fmt.Sprintf("it cannot be this %s", t.Value)
	}
	if field, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return "there is no member " + short(field)
	}
	return "it is not well formed"
}

// short keeps what a client sent from filling the answer.
func short(text string) string {
	const limit = 80
	if len(text) > limit {
		return strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return text
}
