package content

import (
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// A Kind is the JSON type of a member.
type Kind uint8

// The kinds of value. The zero Kind is none of them.
const (
	String Kind = iota + 1
	Number
	Bool
	Null
	Array
	Object
)

// String returns the kind in words, with its article: "a string".
func (k Kind) String() string {
	switch k {
	case String:
		return "a string"
	case Number:
		return "a number"
	case Bool:
		return "a boolean"
	case Null:
		return "null"
	case Array:
		return "an array"
	case Object:
		return "an object"
	}
	return "nothing"
}

// A Field is one member of a body other than content.
type Field struct {
	Name string
	Kind Kind   // in a multipart body always String
	Text string // the unescaped string if Kind is String
	Raw  string // the JSON text as it was sent, arrays and objects whole; in a multipart body the same as Text
}

// A Form is a decoded body without the bytes of its content. Its methods do not change it and may be called
// concurrently.
type Form struct {
	HasContent bool // content was there, empty or not, or text in its place
	FromText   bool // it was text
	HasHTML    bool // html was there, if More takes it
	HasFiles   bool // many files were there, or their array, even empty
	HasArchive bool // archive was there, empty or not

	FilesByName bool // files were an object with their names
	RawText     bool // of one of many files: its content was text instead of base64

	Encoding  Encoding
	FileAs    string // in a form, the name of parts that were read as file, if it was another: files, files[] or file[]
	Multipart bool   // the body is a form, in which every field is a text
	FileName  string // in a form, the name that came with the part of content, as sent
	FromFile  bool   // in a form, content came as a file under the name file
	Whole     bool   // the body was read to its end, though it may have been refused

	fields []Field
}

// FormOf returns a Form of these fields, whose values are texts, like those of a query.
func FormOf(fields []Field) Form { return Form{Multipart: true, fields: fields} }

// Get returns the member of that exact name: names are case-sensitive. Content is never among the members.
func (f Form) Get(name string) (Field, bool) {
	for _, field := range f.fields {
		if field.Name == name {
			return field, true
		}
	}
	return Field{}, false
}

// All yields the members in the order in which they were sent.
func (f Form) All() iter.Seq[Field] {
	return func(yield func(Field) bool) {
		for _, field := range f.fields {
			if !yield(field) {
				return
			}
		}
	}
}

// String returns the member as a string; ok reports whether it was sent. Any other type, null included, is an *Error of
// kind InvalidField.
func (f Form) String(name string) (v string, ok bool, err error) {
	field, ok := f.Get(name)
	if !ok {
		return "", false, nil
	}
	if field.Kind != String {
		return "", true, wrongType(name, field.Kind.String(), "a string")
	}
	return field.Text, true, nil
}

// Int returns the member as an integer; ok reports whether it was sent. It accepts only a JSON number without fraction
// and exponent that fits in an int64, or a text of that form, with blanks around it or not. Anything else is an *Error
// of kind InvalidField.
func (f Form) Int(name string) (v int64, ok bool, err error) {
	const want = "an integer"
	field, ok := f.Get(name)
	if !ok {
		return 0, false, nil
	}
	text := field.Raw
	switch {
	case field.Kind == String:
		if text = strings.TrimSpace(field.Text); !isInteger(text) {
			return 0, true, wrongType(name, "another text", want)
		}
	case field.Kind != Number:
		return 0, true, wrongType(name, field.Kind.String(), want)
	case !isInteger(text):
		return 0, true, wrongType(name, "a number with a fraction or an exponent", want)
	}
	v, err = strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, true, wrongType(name, "an integer beyond 64 bits", want)
	}
	return v, true, nil
}

// Bool returns the member as a boolean; ok reports whether it was sent. The texts true and false stand for the values.
// Anything else is an *Error of kind InvalidField.
func (f Form) Bool(name string) (v, ok bool, err error) {
	const want = "true or false"
	field, ok := f.Get(name)
	switch {
	case !ok:
		return false, false, nil
	case field.Kind == String && (field.Text == "true" || field.Text == "false"):
		return field.Text == "true", true, nil
	case field.Kind == Bool:
		return field.Raw == "true", true, nil
	case field.Kind != String:
		return false, true, wrongType(name, field.Kind.String(), want)
	}
	return false, true, wrongType(name, "another text", want)
}

func wrongType(name, got, want string) *Error {
	return &Error{
		Kind: InvalidField, Reason: WrongType, Field: plainName(name), Want: want,
		Message: fmt.Sprintf("%s is %s, wanted %s", nameOr(name, "a field"), got, want),
	}
}

// isInteger reports whether s is a JSON number without fraction and exponent.
func isInteger(s string) bool { return strings.Trim(s, "-0123456789") == "" && json.Valid([]byte(s)) }
