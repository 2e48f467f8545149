package capability

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// maxArgs is the longest arguments of a call, in bytes.
const maxArgs = 2 << 20

// Decode reads the arguments of a call into a struct with json tags. Unlike encoding/json alone it refuses names that
// the struct does not have, whatever their case, and says which there are. Its errors are for the model.
func Decode(args json.RawMessage, into any) error {
	args = bytes.TrimSpace(args)
	if len(args) == 0 {
		return nil // some models send nothing for a call without arguments
	}
	if len(args) > maxArgs {
		return fmt.Errorf("the arguments have %d bytes, more than the %d allowed", len(args), maxArgs)
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(args, &given); err != nil || given == nil {
		return errors.New("the arguments are not a JSON object")
	}
	known := fields(reflect.TypeOf(into).Elem())
	var unknown []string
	for name := range given {
		if !slices.Contains(known, name) {
			unknown = append(unknown, fmt.Sprintf("%q", shorten(name)))
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		const shown = 10
		if len(unknown) > shown {
			unknown = append(unknown[:shown], "…")
		}
		return fmt.Errorf("there is no argument %s; the arguments are: %s", strings.Join(unknown, ", "), strings.Join(known, ", "))
	}
	err := json.Unmarshal(args, into)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s must be %s, not %s", wrong.Field, kindName(wrong.Type), valueName(wrong.Value))
	}
	return err
}

func fields(t reflect.Type) []string {
	names := make([]string, 0, t.NumField())
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	case reflect.String:
		return "a text"
	}
	return "an object"
}

// valueName turns what encoding/json calls a value ("number 1.5", "string") into words.
func valueName(value string) string {
	kind, rest, _ := strings.Cut(value, " ")
	switch kind {
	case "string":
		return "a text"
	case "bool":
		return "true or false"
	case "array":
		return "a list"
	case "object":
		return "an object"
	}
	if rest != "" {
		return shorten(rest)
	}
	return "a " + kind
}
