package mcp

import (
	"encoding/json"
	"testing"

	"sandlot/internal/testkit/expect"
)

// TestMembersAreThoseOfTheText with equal names, in their order, and with their values as they were sent.
func TestMembersAreThoseOfTheText(t *testing.T) {
	got, err := members([]byte(" {\n\"a\" : [1, {\"b\":\"}\\\"]\"}] ,\"a\":-1.5e3,\"\\u0061\" :{ } , \"d\":\"x\\\\\",\"e\":true\t}\r\n"))
	expect.OK(t, err)
	var list []string
	for _, m := range got {
		list = append(list, m.name+" "+string(m.value))
	}
	expect.Same(t, "members", list, []string{`a [1, {"b":"}\"]"}]`, `a -1.5e3`, `a { }`, `d "x\\"`, `e true`})
	for _, text := range []string{"", "{", `{"a"}`, `{"a":1}}`, `{"a":1,}`, `[]`, `null`, `"{}"`, `{a:1}`} {
		if got, err := members([]byte(text)); err == nil {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// FuzzMembers compares with the decoder of the standard library, name by name.
func FuzzMembers(f *testing.F) {
	f.Add(`{"a":[1,{"b":"}"}],"c":null}`)
	f.Add(`{"a":"\\\"","b":-1e5 , "c":[[]]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var want map[string]json.RawMessage
		err := json.Unmarshal([]byte(text), &want)
		got, failed := members([]byte(text))
		if (err == nil && want != nil) != (failed == nil) {
			t.Fatalf("%q: %v, and the library says %v", text, failed, err)
		}
		if failed != nil {
			return
		}
		last := map[string]string{}
		for _, m := range got {
			last[m.name] = string(m.value)
		}
		for name, value := range want {
			if last[name] != string(value) {
				t.Errorf("%q: %s is %q, and the library says %q", text, name, last[name], value)
			}
		}
		if len(last) != len(want) {
			t.Errorf("%q: %d names, and the library says %d", text, len(last), len(want))
		}
	})
}
