package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
)

// edited is a world whose project has two scripts beside its page.
func edited(t *testing.T) *world {
	t.Helper()
	w := settled(t, func(s *settings) { s.cfg.MaxFile = 8 << 20 })
	w.put("a.js", "let speed = 2\nlet lives = 3\nlet speeds = [2]\n")
	w.put("b.js", "let b = 1\n")
	return w
}

func (w *world) file(name string) string {
	w.t.Helper()
	return w.get("/v1/project/"+w.projectID+"/files/"+name, w.account).wants(200).text
}

func (w *world) change(fields obj) answer {
	w.t.Helper()
	body := obj{"project_id": w.projectID}
	for name, v := range fields {
		body[name] = v
	}
	return w.post("/v1/update", w.project, body, lax)
}

func edits(list ...string) (out []obj) {
	for i := 0; i+2 < len(list); i += 3 {
		out = append(out, obj{"filename": list[i], "old": list[i+1], "new": list[i+2]})
	}
	return out
}

func TestEditsFilesAndDeletionsMakeOneVersion(t *testing.T) {
	t.Parallel()
	w := edited(t)
	got := w.change(obj{
		"edits": edits("a.js", "speed = 2", "speed = 5", "a.js", "speed = 5\n", "speed = 6\n"), "delete": []string{"b.js"},
		"files": []obj{{"filename": "c.js", "text": "let b = 1\n"}},
	}).wants(200)
	expect.Equal(t, "version", got.body["version"], any(5.0))
	expect.Equal(t, "removed", got.body["removed"], any(1.0))
	expect.Equal(t, "files", got.filesNamed(), 2)
	expect.Equal(t, "the edited file", w.file("a.js"), "let speed = 6\nlet lives = 3\nlet speeds = [2]\n")
	expect.Equal(t, "the renamed file", w.file("c.js"), "let b = 1\n")
	w.get("/v1/project/"+w.projectID+"/files/b.js", w.account).refused(404, sandlot.CodeFileNotFound)

	t.Run("deletions alone", func(t *testing.T) {
		got := w.in(t).change(obj{"delete": []string{"c.js", "c.js"}}).wants(200)
		expect.Equal(t, "files", got.body["file_count"], any(3.0))
	})
	t.Run("an empty new deletes the text", func(t *testing.T) {
		w.in(t).change(obj{"edits": edits("a.js", "let lives = 3\n", "")}).wants(200)
		expect.Equal(t, "the file", w.file("a.js"), "let speed = 6\nlet speeds = [2]\n")
	})
	t.Run("one file that is sent as content", func(t *testing.T) {
		w.in(t).change(obj{"filename": "d.js", "text": "1", "edits": edits("a.js", "[2]", "[3]")}).wants(200)
		expect.Equal(t, "the files", w.file("d.js")+w.file("a.js"), "1let speed = 6\nlet speeds = [3]\n")
	})
	t.Run("replace keeps what is edited or sent", func(t *testing.T) {
		got := w.in(t).change(obj{"replace": true, "edits": edits("a.js", "[3]", "[4]"), "files": []obj{{"filename": "index.html", "text": page}}}).wants(200)
		expect.Equal(t, "files", got.body["file_count"], any(2.0))
	})
	t.Run("another page is opened", func(t *testing.T) {
		w.in(t).change(obj{"primary_file": "game.html", "files": []obj{{"filename": "game.html", "text": page}}}).wants(200)
		w.change(obj{"primary_file": "play.html", "files": []obj{{"filename": "play.html", "text": page}}, "delete": []string{"game.html"}}).wants(200)
	})
	t.Run("in a form", func(t *testing.T) {
		text, _ := json.Marshal(edits("a.js", "[4]", "[5]"))
		body, kind := fileForm([3]string{"project_id", "", w.projectID}, [3]string{"edits", "", string(text)}, [3]string{"delete", "", "play.html"}, [3]string{"primary_file", "", "index.html"})
		w.in(t).post("/v1/update", w.project, body, kind).wants(200)
		expect.Contains(t, "the file", w.file("a.js"), "[5]")
	})
}

func TestAnEditThatCannotBeMadeChangesNothing(t *testing.T) {
	t.Parallel()
	w := edited(t)
	big := strings.Repeat("0123456789abcde\n", limit/16)
	large := edited(t)
	key := w.account
	for name, c := range map[string]struct {
		fields obj
		status int
		code   sandlot.Code
		wants  string
	}{
		"nowhere":               {obj{"edits": edits("a.js", "let speed = 9\n", "x")}, 422, sandlot.CodeEditNotFound, `edits[0].old stands nowhere in \"a.js\" of version 4. Nothing was changed. The nearest is line 1: \"let speed = 2\"`},
		"twice":                 {obj{"edits": edits("a.js", "let speed", "x")}, 422, sandlot.CodeEditAmbiguous, `stands 2 times in \"a.js\" of version 4, on the lines 1, 3.`},
		"the second of two":     {obj{"edits": edits("a.js", "lives = 3", "lives = 4", "b.js", "let c", "x")}, 422, sandlot.CodeEditNotFound, `"edit":1`},
		"what an edit replaced": {obj{"edits": edits("a.js", "lives = 3", "lives = 4", "a.js", "lives = 3", "lives = 5")}, 422, sandlot.CodeEditNotFound, `"edit":1`},
		"beside a new file":     {obj{"edits": edits("a.js", "let", "x"), "files": []obj{{"filename": "z.js", "text": "1"}}}, 422, sandlot.CodeEditAmbiguous, `"lines":[1,2,3]`},
		"CRLF":                  {obj{"edits": edits("a.js", "let speed = 2\r\nlet", "x")}, 422, sandlot.CodeEditNotFound, "one has CRLF and the other LF"},
		"blanks":                {obj{"edits": edits("a.js", "  let speed = 2", "x")}, 422, sandlot.CodeEditNotFound, "Only blanks at the ends of lines are different"},
		"a missing file":        {obj{"edits": edits("z.js", "a", "b")}, 404, sandlot.CodeFileNotFound, `"field":"edits"`},
		"an empty old":          {obj{"edits": edits("a.js", "", "b")}, 400, sandlot.CodeInvalidField, "edits[0] has an empty old"},
		"no new":                {obj{"edits": []obj{{"filename": "a.js", "old": "a"}}}, 400, sandlot.CodeMissingField, "edits[0] has no new"},
		"no name":               {obj{"edits": []obj{{"old": "a", "new": "b"}}}, 400, sandlot.CodeMissingField, "edits[0] has no filename"},
		"two olds":              {obj{"edits": []obj{{"filename": "a.js", "old": "a", "old_string": "b", "new": "c"}}}, 400, sandlot.CodeInvalidField, "differ"},
		"a number":              {obj{"edits": []obj{{"filename": "a.js", "old": 2, "new": "c"}}}, 400, sandlot.CodeInvalidField, "is not a text"},
		"no list":               {obj{"edits": "a"}, 400, sandlot.CodeInvalidField, "edits is not a list"},
		"a list of texts":       {obj{"edits": []string{"a"}}, 400, sandlot.CodeInvalidField, "edits is not a list"},
		"too many":              {obj{"edits": edits(strings.Split(strings.Repeat("a.js,a,b,", 101), ",")...)}, 400, sandlot.CodeInvalidField, "at most 100"},
		"a name that none has":  {obj{"edits": edits("a?.js", "a", "b")}, 400, sandlot.CodeInvalidFilename, `"field":"edits"`},
		"sent and edited":       {obj{"edits": edits("a.js", "a", "b"), "files": []obj{{"filename": "a.js", "text": "1"}}}, 400, sandlot.CodeInvalidField, "sent and edited"},
		"sent and deleted":      {obj{"delete": []string{"a.js"}, "files": []obj{{"filename": "a.js", "text": "1"}}}, 400, sandlot.CodeInvalidField, "sent and deleted"},
		"edited and deleted":    {obj{"delete": []string{"a.js"}, "edits": edits("a.js", "a", "b")}, 400, sandlot.CodeInvalidField, "edited and deleted"},
		"the page deleted":      {obj{"delete": []string{"index.html"}}, 422, sandlot.CodePrimaryFileProtected, `"field":"delete"`},
		"nothing to delete":     {obj{"delete": []string{"z.js"}}, 404, sandlot.CodeFileNotFound, `"field":"delete"`},
		"a truth to delete":     {obj{"delete": true}, 400, sandlot.CodeInvalidField, "delete is not a list of names"},
		"the page emptied":      {obj{"edits": edits("index.html", page, "")}, 400, sandlot.CodeInvalidField, `"field":"edits"`},
		"an old version":        {obj{"if_version": 1, "edits": edits("a.js", "lives = 3", "lives = 4")}, 412, sandlot.CodeVersionConflict, `"edits":[{"filename":"a.js","old":"lives = 3","new":"lives = 4"}]`},
		"a key":                 {obj{"edits": edits("b.js", "1", key)}, 400, sandlot.CodeKeyNotInHeader, ""},
		"a key in two pieces":   {obj{"edits": edits("b.js", "let b = 1", key[:20]+"here", "b.js", "here\n", key[20:])}, 422, sandlot.CodeKeyInContent, `"field":"edits"`},
		"a diff":                {obj{"edits": edits("b.js", "let b = 1\n", "```js\nlet b = 2\n```\n")}, 422, sandlot.CodeLooksDamaged, "how the edits would leave the file"},
		"in parts":              {obj{"upload_id": "u", "part": 1, "content": "YQ==", "edits": edits("a.js", "a", "b")}, 400, sandlot.CodeInvalidField, "in parts"},
		"two names":             {obj{"filename": "b.js", "edits": edits("a.js", "lives = 3", "lives = 4")}, 400, sandlot.CodeInvalidField, "brings its own names"},
	} {
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			w.unchanged(func() {
				got := w.change(c.fields).refused(c.status, c.code)
				if !strings.Contains(strings.ReplaceAll(got.text, `\\\"`, `\"`), c.wants) && !strings.Contains(strings.ReplaceAll(got.str("hint")+got.text, `\"`, `"`), c.wants) {
					t.Errorf("it lacks %s: %s", c.wants, got.text)
				}
			})
		})
	}
	t.Run("a file above the limit", func(t *testing.T) {
		w := large.in(t)
		for i := range 5 {
			w.post("/v1/update", w.project, obj{"project_id": w.projectID, "filename": "big.txt", "upload_id": "big", "part": i + 1, "total_parts": 5, "content": b64(big)}, lax).wants(map[bool]int{true: 200, false: 202}[i == 4])
		}
		got := w.change(obj{"edits": edits("big.txt", "a", "b")}).refused(413, sandlot.CodeContentTooLarge)
		expect.Equal(t, "the limit", got.body["limit"], any(float64(4<<20)))
	})
	t.Run("on publish it is not taken", func(t *testing.T) {
		got := w.in(t).post("/v1/publish", w.account, obj{"text": page, "edits": edits("a.js", "a", "b")}, lax).wants(201)
		if !got.warned("unknown_field") {
			t.Error(got.text)
		}
	})
	t.Run("a ticket brings none", func(t *testing.T) {
		w.in(t).post("/v1/uploads", w.project, obj{"project_id": w.projectID, "filename": "a.js", "edits": edits("a.js", "a", "b")}, lax).refused(400, sandlot.CodeInvalidField)
	})
}

func TestAnEditIsReadInOneWay(t *testing.T) {
	t.Parallel()
	w := edited(t)
	text, _ := json.Marshal(edits("a.js", "lives = 6", "lives = 7"))
	for i, fields := range []obj{
		{"edits": []obj{{"path": "a.js", "old": "lives = 3", "new": "lives = 4"}}},
		{"edits": []obj{{"file_path": "a.js", "old_string": "lives = 4", "new_string": "lives = 5", "filename": nil}}},
		{"filename": "a.js", "edits": []obj{{"old": "lives = 5", "new": "lives = 6"}}},
		{"edits": string(text)},
		{"edits": edits("./a.js", "lives = 7", "lives = 8")},
		{"edits": []obj{{"filename": "a.js", "old": "lives = 8", "new": "lives = 9", "replace_all": true}}},
		{"delete": "b.js"},
	} {
		got := w.change(fields).wants(200)
		if !got.warned("read_as") && !got.warned("unknown_field") && i != 2 && i != 3 {
			t.Errorf("%v has no warning: %s", fields, got.text)
		}
	}
	expect.Contains(t, "the file", w.file("a.js"), "lives = 9")
}

// TestFilesAreReadInOneWay: each file of a list has its name as filename, path or name, and its text as text or content, and a map has the text of each under its name.
func TestFilesAreReadInOneWay(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for i, files := range []any{
		[]obj{{"path": "0.js", "text": "let n = 0"}},
		[]obj{{"name": "1.js", "text": "let n = 1"}},
		[]obj{{"filename": "2.js", "content": "let n = f(2)"}},
		obj{"3.js": "let n = 3"},
		[]obj{{"filename": "4.js", "content": b64("let n = 4")}},
	} {
		got := w.change(obj{"files": files}).wants(200)
		expect.Equal(t, fmt.Sprint("the warning about ", files), got.warned("read_as"), i != 4)
		expect.Equal(t, fmt.Sprint("the file of ", files), w.file(fmt.Sprintf("%d.js", i)), []string{"let n = 0", "let n = 1", "let n = f(2)", "let n = 3", "let n = 4"}[i])
	}
}

func TestAnEditIsACallLikeOthers(t *testing.T) {
	t.Parallel()
	w := edited(t)
	once := obj{"project_id": w.projectID, "edits": edits("a.js", "lives = 3", "lives = 4")}
	t.Run("a dry run changes nothing", func(t *testing.T) {
		w := w.in(t)
		w.unchanged(func() {
			got := w.change(obj{"dry_run": true, "edits": edits("a.js", "lives = 3", "lives = 4"), "delete": []string{"b.js"}}).wants(200)
			expect.Equal(t, "removed", got.body["removed"], any(1.0))
			w.change(obj{"dry_run": true, "edits": edits("a.js", "let", "x")}).refused(422, sandlot.CodeEditAmbiguous)
		})
	})
	t.Run("under an Idempotency-Key it is made once", func(t *testing.T) {
		w := w.in(t)
		first := w.post("/v1/update", w.project, once, under("k")).wants(200)
		again := w.post("/v1/update", w.project, once, under("k")).wants(200)
		expect.Equal(t, "the version again", again.body["version"], first.body["version"])
		other := obj{"project_id": w.projectID, "edits": edits("a.js", "lives = 3", "lives = 5")}
		w.post("/v1/update", w.project, other, under("k")).refused(422, sandlot.CodeIdempotencyMismatch)
	})
	t.Run("with the version that is there", func(t *testing.T) {
		w := w.in(t)
		v := w.get("/v1/project/"+w.projectID, w.project).wants(200).body["version"]
		w.change(obj{"if_version": v, "edits": edits("a.js", "lives = 4", "lives = 5")}).wants(200)
	})
	t.Run("edits at once lose nothing", func(t *testing.T) {
		w := w.in(t)
		var all strings.Builder
		for i := range 12 {
			fmt.Fprintf(&all, "let n%d = 0;\n", i)
		}
		w.put("n.js", all.String())
		var wait sync.WaitGroup
		for i := range 12 {
			wait.Go(func() {
				w.change(obj{"edits": edits("n.js", fmt.Sprintf("n%d = 0;", i), fmt.Sprintf("n%d = 1;", i))}).wants(200)
			})
		}
		wait.Wait()
		if text := w.file("n.js"); strings.Contains(text, "= 0;") {
			t.Errorf("an edit was lost: %s", text)
		}
	})
}
