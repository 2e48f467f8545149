package peek

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMembersAreReadAsEncodingJSONDoes(t *testing.T) {
	m := Object([]byte(` {"a": "x\ny", "b":[ {"c":1} ],"n":null , "i":12, "e":{}} `))
	got := map[string]string{}
	for m.Next() {
		got[string(m.Key)] = string(m.Value)
	}

	assert.True(t, m.OK())
	assert.Equal(t, map[string]string{"a": `"x\ny"`, "b": `[ {"c":1} ]`, "n": "null", "i": "12", "e": "{}"}, got)
	text, ok := Text([]byte(got["a"]))
	assert.True(t, ok)
	assert.Equal(t, "x\ny", text)
	only, ok := Only([]byte(got["b"]))
	assert.True(t, ok)
	assert.Equal(t, `{"c":1}`, string(only))
	n, ok := Int([]byte(got["i"]))
	assert.True(t, ok)
	assert.Equal(t, 12, n)
	assert.True(t, Null([]byte(got["n"])))
}

func TestWhatIsNotCertainIsNotRead(t *testing.T) {
	for _, doc := range []string{
		``, `[]`, `{`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":01}`, `{"a":1} x`, `{"a":tru}`, `{"a":"\x"}`, `{"a":"` + "\n" + `"}`, `{"a":1 "b":2}`, `{a:1}`, `{"Ä":1}`, `{"a\n":1}`, `{"a":-}`, `{"a":1.}`, `{"a":1e}`,
	} {
		m := Object([]byte(doc))
		for m.Next() {
		}
		assert.False(t, m.OK(), doc)
	}
	_, ok := Text([]byte("\"\xff\""))
	assert.False(t, ok)
	for _, array := range []string{`[]`, `[1,2]`, `{}`, ``, `[1`} {
		_, ok := Only([]byte(array))
		assert.False(t, ok, array)
	}
}

func FuzzObject(f *testing.F) {
	f.Add([]byte(`{"a":"x","b":[1,-2.5e3,{"c":null}],"d":"\u00e9\\\""}`))
	f.Add([]byte(`{"a":tru}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		m := Object(doc)
		got := map[string]string{}
		for m.Next() {
			got[string(m.Key)] = string(m.Value)
		}
		if !m.OK() {
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(doc, &want); err != nil {
			t.Fatalf("read %q, which is no JSON: %v", doc, err)
		}
		if len(want) != len(got) {
			t.Fatalf("%v of %q, want %v", got, doc, want)
		}
		for k, v := range want {
			if got[k] != string(v) {
				t.Fatalf("%q of %q is %q, want %q", k, doc, got[k], v)
			}
			text, ok := Text(v)
			var s string
			if ok && (json.Unmarshal(v, &s) != nil || s != text) {
				t.Fatalf("the text of %q is %q, want %q", v, text, s)
			}
		}
	})
}
