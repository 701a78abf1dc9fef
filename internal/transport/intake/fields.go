package intake

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/content"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/unpack"
)

// A FieldSet holds the fields and rules of one endpoint. It never changes.
type FieldSet struct {
	Names      []string                   // without content
	content    bool                       // whether the endpoint takes content, and many files
	html       bool                       // whether html stands for text
	Upload     bool                       // whether a part called upload is a file or, by its name, a ZIP
	bytesLater bool                       // whether the bytes come in another call, so that any here are refused
	mayBeEmpty bool                       // whether an absent body stands for {}
	strict     bool                       // whether an unknown field is refused
	Chooses    bool                       // whether the fields of the call select the project to change
	elsewhere  map[string]sandlot.Warning // fields that belong to other endpoints, with the advice for each
}

// Fields holds a decoded body on its way into an input of the Service. The getters remember the first error, and treat
// null as absent.
type Fields struct {
	Set     *FieldSet
	Header  http.Header
	Query   url.Values
	Form    content.Form
	Content publish.Content
	html    publish.Content          // of the field html
	Tree    *publish.Tree            // the files of a call with many; nil for any other
	format  unpack.Format            // of the archive in the call
	packed  publish.Declared         // size and hash of that archive
	Staging sandlot.Charge           // for the bytes of the files
	charge  sandlot.Charge           // for the work of the Service on it
	read    []sandlot.Warning        // the readings of ambiguous fields
	strange map[string]content.Field // by the field that each surely stands for, for hints

	fileNotes
	Err error
}

// fileNotes holds the facts about the files of a call with many that hints and warnings need.
type fileNotes struct {
	sentNames      []string // of many files, as many as a hint repeats
	bytesless      int      // number of files without bytes
	strangeInFiles string   // an unknown member of one of them
	strangeInEdits string   // an unknown member of one of the edits
	named          string   // of one of many files: the member that was read as filename
	alone          bool     // whether filename is of a file in the tree: of the one that came, or of edits
}

func (f *Fields) Fail(err error) {
	if f.Err == nil {
		f.Err = err
	}
}

func (f *Fields) has(name string) bool {
	field, ok := f.Form.Get(name)
	return ok && field.Kind != content.Null
}

func (f *Fields) Text(name string) string {
	if !f.has(name) {
		return ""
	}
	v, _, err := f.Form.String(name)
	if err != nil {
		f.Fail(err)
	}
	return v
}

// decoration returns a text that never fails a call: any kind but a text or a number is left out with a warning.
func (f *Fields) decoration(name string) *string {
	field, ok := f.Form.Get(name)
	switch {
	case !ok || field.Kind == content.Null:
		return nil
	case field.Kind == content.String:
		return &field.Text
	case field.Kind == content.Number:
		f.read = append(f.read, publish.ReadAs(name, strconv.Quote(field.Raw)))
		return &field.Raw
	}
	f.warn(name+"_dropped", "The field "+name+" is "+field.Kind.String()+" and was ignored.", "Send a string.")
	return nil
}

func (f *Fields) warn(code, message, hint string) {
	f.read = append(f.read, sandlot.Warn(code, message, hint))
}

func (f *Fields) decorated(name string) string {
	if v := f.decoration(name); v != nil {
		return *v
	}
	return ""
}

// asText notes that a number or a bool came as text, as it does in every form.
func (f *Fields) asText(name, value string) {
	if field, _ := f.Form.Get(name); field.Kind == content.String && !f.Form.Multipart {
		f.read = append(f.read, publish.ReadAs(name, value))
	}
}

// required returns a text that must be present, though it may be empty.
func (f *Fields) required(name, about string) string {
	if !f.has(name) {
		f.Fail(sandlot.Refuse(sandlot.CodeMissingField, "The field %s is missing: %s.", name, about).In(name).Note("Send %s.", name))
	}
	return f.Text(name)
}

func (f *Fields) integer(name string) *int64 {
	if !f.has(name) {
		return nil
	}
	v, _, err := f.Form.Int(name)
	if err != nil {
		f.Fail(err)
	}
	f.asText(name, "the number "+strconv.FormatInt(v, 10))
	return &v
}

func (f *Fields) whole(name string) *int {
	v := f.integer(name)
	if v == nil {
		return nil
	}
	n := int(*v)
	return &n
}

// real returns a finite number, in JSON or as a text.
func real(f *Fields, name string) *float64 {
	field, _ := f.Form.Get(name)
	if !f.has(name) {
		return nil
	}
	v, err := strconv.ParseFloat(cmp.Or(strings.TrimSpace(field.Text), field.Raw), 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) || field.Kind != content.Number && field.Kind != content.String {
		f.Fail(badField(name, "%s is not a finite number", name))
		return nil
	}
	return &v
}

// isNull reports whether a field was sent as null.
func isNull(f *Fields, name string) bool {
	field, ok := f.Form.Get(name)
	return ok && field.Kind == content.Null
}

func (f *Fields) truth(name string) bool {
	if !f.has(name) {
		return false
	}
	v, _, err := f.Form.Bool(name)
	if err != nil {
		f.Fail(err)
	}
	f.asText(name, strconv.FormatBool(v))
	return v
}

// declared returns the size and the hash that the client declares for the bytes of the file.
func (f *Fields) declared() publish.Declared {
	d := publish.Declared{SHA256: f.Text("sha256"), Size: f.integer("size")}
	if f.has("sha256") && !validSHA256(d.SHA256) {
		f.Fail(badField("sha256", "sha256 is not 64 hexadecimal digits; it has %d characters", len(d.SHA256)))
	}
	if d.Size != nil && *d.Size < 0 {
		f.Fail(badField("size", "size is negative; it is the number of the file's bytes"))
	}
	return d
}

func validSHA256(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == 64
}

// PartFields are the fields of a chunked upload, and totalFields the names of its total.
var (
	totalFields = []string{"total_parts", "parts", "total", "total_chunks"}
	PartFields  = append([]string{"upload_id", "part", "last"}, totalFields...)
)

// part returns the fields of a chunked upload, nil if none was sent.
func (f *Fields) part() *publish.PartInput {
	if !slices.ContainsFunc(PartFields, f.has) {
		return nil
	}
	in := &publish.PartInput{
		UploadID: f.Text("upload_id"), N: f.whole("part"), Last: f.truth("last"),
		Encoding: f.Form.Encoding.Declared, Charge: f.charge,
	}
	for _, name := range totalFields {
		switch n := f.whole(name); {
		case n == nil:
		case in.Total != nil && *in.Total != *n:
			f.Fail(badField(name, "%s contradicts another field that tells the number of parts", name))
		default:
			in.Total = n
		}
	}
	return in
}

func badField(name, format string, args ...any) *sandlot.Error {
	return sandlot.Refuse(sandlot.CodeInvalidField, "The field "+format+".", args...).In(name)
}

// leakedIn refuses a key among the fields other than content.
func leakedIn(form content.Form) error {
	if inspect.HoldsKey(form.FileName) {
		return leaked("", "A key was sent in the body.")
	}
	for field := range form.All() {
		name := strings.ToLower(field.Name)
		switch {
		case field.Kind == content.Null && !inspect.HoldsKey(field.Name):
		case name == "api_key" || name == "project_api_key" || name == "authorization":
			return leaked(name, "A key was sent in the body, as the field "+name+".")
		case name == "upload_token":
			return inBody(name, "The upload_token", "<upload_token>")
		case name == "ticket":
			return inBody(name, "The ticket", "<ticket>, with the file as the body")
		case slices.ContainsFunc([]string{field.Name, field.Text, field.Raw, unescaped(field)}, inspect.HoldsKey):
			return leaked("", "A key was sent in the body.")
		}
	}
	return nil
}

// inBody refuses a secret in the body that is no key, and names its header.
func inBody(field, what, value string) error {
	return sandlot.Refuse(sandlot.CodeKeyNotInHeader,
		"%s was sent in the body. It is taken only from the header Authorization: Bearer %s.", what, value).
		In(field).With(sandlot.OpSame)
}

// unescaped returns all strings of an array or object, so that an escape does not hide a key.
func unescaped(field content.Field) string {
	if field.Kind != content.Array && field.Kind != content.Object {
		return ""
	}
	var all []string
	dec := json.NewDecoder(strings.NewReader(field.Raw))
	for {
		token, err := dec.Token()
		if err != nil {
			return strings.Join(all, "\n")
		}
		if text, ok := token.(string); ok {
			all = append(all, text)
		}
	}
}

// explain adds to an error about a field the other name under which it was probably sent.
func (f *Fields) explain(err error) error {
	var e *sandlot.Error
	if !errors.As(err, &e) || e.Field == "" {
		return err
	}
	switch e.Code {
	case sandlot.CodeDigestMismatch:
		explainDigest(f, e)
	case sandlot.CodeMissingField, sandlot.CodeProjectIDRequired, sandlot.CodeEmailRequired:
		for _, name := range f.unknown() {
			if meant := f.Set.Meant(name); meant == e.Field || meant == "text" && e.Field == "content" {
				e.Message += " The field " + inspect.Quoted(name) + " was sent: " + meant + " was probably meant."
				break
			}
		}
	}
	return err
}

// Words returns an optional text; a number becomes its digits.
func (f *Fields) Words(name string) *string {
	if !f.has(name) {
		return nil
	}
	if field, _ := f.Form.Get(name); field.Kind == content.Number {
		return f.decoration(name)
	}
	v := f.Text(name)
	return &v
}

// list returns an optional list of texts; a single text is split at its commas.
func (f *Fields) list(name string) []string {
	field, _ := f.Form.Get(name)
	switch {
	case !f.has(name):
		return nil
	case field.Kind == content.String:
		return strings.FieldsFunc(field.Text, func(r rune) bool { return r == ',' })
	case field.Kind == content.Array:
		out := []string{}
		if json.Unmarshal([]byte(field.Raw), &out) == nil {
			return out
		}
	}
	f.Fail(badField(name, "%s is not a list of strings", name))
	return nil
}

func (f *Fields) choice(name string) *bool {
	if !f.has(name) {
		return nil
	}
	v := f.truth(name)
	return &v
}

// checkKnown refuses an unknown field where each field is a change of its own.
func (f *Fields) checkKnown() error {
	if !f.Set.strict {
		return nil
	}
	unknown := f.unknown()
	if len(unknown) == 0 {
		return nil
	}
	name := unknown[0]
	e := unchanged(name, "The field %s is not known here.", inspect.Quoted(name)).With(sandlot.OpProject)
	meant := f.Set.Meant(name)
	switch {
	case name == "content" || name == "filename":
		return e.Note("A file is changed with POST /v1/update. %s This is the project as it is:", f.Set.listed())
	case meant == "":
		return e.Note("%s This is the project as it is:", f.Set.listed())
	}
	e.Message += " " + meant + " was probably meant."
	return e.Note("Send it as %s. This is the project as it is:", meant)
}
