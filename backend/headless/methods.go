package headless

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"runtime/debug"
	"sort"

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
			if n == 0 || n > 2 || t.Out(n-1) != errorType {
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

// Methods lists what can be called, for documentation and tests.
func Methods(services []any) []string {
	var names []string
	for name := range methods(services) {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// decode reads the arguments strictly: their number, their types and their members must be the method's.
func (m method) decode(body []byte) ([]reflect.Value, error) {
	raw := []json.RawMessage{}
	if len(bytes.TrimSpace(body)) > 0 {
		if err := json.Unmarshal(body, &raw); err != nil {
			return nil, wire.Reject(wire.CodeInvalidRequest, "The body is not a JSON array of arguments.")
		}
	}
	if len(raw) != len(m.args) {
		return nil, wire.Reject(wire.CodeInvalidRequest, "The method takes %d arguments, there are %d.", len(m.args), len(raw))
	}
	values := make([]reflect.Value, len(raw))
	for i, text := range raw {
		v := reflect.New(m.args[i])
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(v.Interface()); err != nil {
			return nil, wire.Reject(wire.CodeInvalidRequest, "Argument %d is not right: %v.", i+1, describe(err))
		}
		values[i] = v.Elem()
	}
	return values, nil
}

// describe words a decoding error without Go's type names.
func describe(err error) error {
	var t *json.UnmarshalTypeError
	if errors.As(err, &t) {
		return fmt.Errorf("%q cannot be a %s", t.Field, t.Value)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends too early")
	}
	return err
}

// call runs the method. A panic becomes an error, without its text, which could hold what a client must not see.
func (m method) call(args []reflect.Value, panicked func(any)) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			panicked(p)
			err = wire.Reject(wire.CodeGatewayError, "Something went wrong inside Mobius. The log has the details.")
		}
	}()
	out := m.fn.Call(args)
	if e := out[len(out)-1]; !e.IsNil() {
		return nil, e.Interface().(error) //nolint:forcetypeassert // methods checked its type
	}
	if !m.result {
		return nil, nil
	}
	return out[0].Interface(), nil
}

// Caller calls services by name with encoded arguments, as the server does, without one.
type Caller struct{ methods map[string]method }

// NewCaller makes a caller of services.
func NewCaller(services []any) *Caller { return &Caller{methods: methods(services)} }

// Call calls "Service.Method" with a JSON array of arguments. Its error is a *wire.Rejection.
func (c *Caller) Call(name string, args []byte) (any, error) {
	m, ok := c.methods[name]
	if !ok {
		return nil, wire.Reject(wire.CodeUnknownMethod, "There is no method %s.", name)
	}
	values, err := m.decode(args)
	if err != nil {
		return nil, err
	}
	return m.call(values, func(p any) { slog.Error("method panicked", "method", name, "panic", p, "stack", string(debug.Stack())) })
}
