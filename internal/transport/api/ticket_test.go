package api

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
	"sandlot/internal/transport/intake"
)

// ticket asks for one.
func (w *world) ticket(key string, told obj) answer {
	w.t.Helper()
	return w.post("/v1/uploads", key, told).wants(201)
}

// bytes sends bytes with a ticket that was answered.
func (w *world) bytes(at answer, body any, change ...func(*http.Request)) answer {
	w.t.Helper()
	path := strings.TrimPrefix(at.str("url"), testworld.Places().Base.String())
	return w.send("PUT", path, at.str("ticket"), body, append([]func(*http.Request){func(r *http.Request) { r.Header.Del("Content-Type") }}, change...)...)
}

func TestATicketPublishesOnce(t *testing.T) {
	t.Parallel()
	for set, on := range testworld.Sets {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(s *settings) { s.set = on })
			at := w.ticket("", obj{"email": someone, "title": "Cats"})
			first := w.bytes(at, page).wants(201)
			if first.str("title") != "Cats" || first.str("email") != someone || first.str("api_key") == "" || first.str("project_api_key") == "" {
				t.Errorf("got %s", first.text)
			}
			again := w.bytes(at, page).wants(201)
			if again.text != first.text || again.header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("the same bytes again get %s", again.text)
			}
			w.unchanged(func() {
				other := w.bytes(at, page+" ").refused(409, sandlot.CodeTicketUsed)
				if other.str("project_id") != first.str("project_id") || other.str("url") != first.str("url") || other.body["version"] != 1.0 {
					t.Errorf("other bytes get %s", other.text)
				}
			})
		})
	}
}

func TestATicketUpdatesWhatItWasAskedFor(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for _, key := range []string{w.account, w.project} {
		at := w.ticket(key, obj{"project_id": w.projectID, "filename": "a b.txt", "title": "Other"})
		got := w.bytes(at, "hello").wants(200)
		if got.str("filename") != "a b.txt" || got.str("title") != "Other" || got.body["size"] != 5.0 {
			t.Errorf("got %s", got.text)
		}
	}
	made := w.bytes(w.ticket(w.account, obj{"title": "Mine"}), page).wants(201)
	if made.str("project_api_key") == "" || made.str("api_key") != "" || made.body["email"] != nil {
		t.Errorf("whoever has the ticket sees %s", made.text)
	}
}

func TestATicketTakesAnArchive(t *testing.T) {
	t.Parallel()
	w := settled(t)
	packed := zipped(t, "index.html", page, "a.js", "let a")
	told := w.ticket(w.account, obj{"archive_format": "zip"})
	w.bytes(told, packed).wants(201)
	w.bytes(told, packed).wants(201)
	w.bytes(w.ticket(w.account, obj{"archive_format": "tar.gz"}), packed).wants(201)
	typed := w.bytes(w.ticket(w.account, obj{}), packed, with("Content-Type", "application/zip")).wants(201)
	if files, _ := typed.body["files"].([]any); len(files) != 2 {
		t.Errorf("got %s", typed.text)
	}
	w.bytes(w.ticket(w.project, obj{"project_id": w.projectID, "archive_format": "zip", "replace": true}), packed).wants(200)
	file := w.bytes(w.ticket(w.project, obj{"project_id": w.projectID, "filename": "level.zip"}), packed, with("Content-Type", "application/zip")).wants(200)
	expect.Equal(t, "a named file stays one", file.str("filename"), "level.zip")
	wrong := w.ticket(w.account, obj{"archive_format": "zip", "size": 3})
	w.bytes(wrong, packed).refused(422, sandlot.CodeDigestMismatch)
}

func zipped(t *testing.T, list ...string) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(list); i += 2 {
		f, err := z.Create(list[i])
		expect.OK(t, err)
		_, err = io.WriteString(f, list[i+1])
		expect.OK(t, err)
	}
	expect.OK(t, z.Close())
	return out.String()
}

func TestATicketIsDescribedToItsHolder(t *testing.T) {
	t.Parallel()
	w := settled(t)
	about := func(at answer) answer {
		t.Helper()
		return w.get(strings.TrimPrefix(at.str("url"), testworld.Places().Base.String()), at.str("ticket")).wants(200)
	}
	first := w.ticket("", obj{"email": someone, "title": "Cats"})
	w.unchanged(func() {
		got := about(first)
		if got.str("operation") != "publish" || got.str("title") != "Cats" || got.body["used"] != false || strings.Contains(got.text, someone) {
			t.Errorf("a first publish is %s", got.text)
		}
	})
	w.bytes(first, page).wants(201)
	if got := about(first); got.body["used"] != true {
		t.Errorf("after its use it is %s", got.text)
	}
	w.post("/v1/update", w.account, obj{"project_id": w.projectID, "filename": "a.txt", "text": "a", "title": "Now"}).wants(200)
	for _, c := range []struct {
		told obj
		want string
	}{
		{obj{"project_id": w.projectID, "filename": "a.txt"}, `"filename":"a.txt","replace":false`},
		{obj{"project_id": w.projectID, "archive_format": "tgz", "replace": true}, `"archive_format":"tar.gz","replace":true`},
	} {
		got := about(w.ticket(w.project, c.told))
		if !strings.Contains(got.text, `"operation":"update","project_id":"`+w.projectID+`","title":"Now",`+c.want) {
			t.Errorf("an update is %s", got.text)
		}
	}
}

func TestATicketComesWithAPageForAPerson(t *testing.T) {
	t.Parallel()
	w := settled(t)
	at := w.ticket(w.account, obj{"title": "Cats"})
	expect.Equal(t, "page_url", at.str("page_url"), testworld.Places().Base.String()+"/send#"+at.str("upload_id")+"."+at.str("ticket"))
	folder := w.ticket(w.account, obj{"archive_format": "tar.gz"})
	expect.Equal(t, "command", folder.str("command"), "tar -czf - . | curl -T - -H 'Authorization: Bearer "+folder.str("ticket")+"' "+folder.str("url"))
}

func TestARefusedPutLeavesTheTicketUsable(t *testing.T) {
	t.Parallel()
	w := settled(t)
	at := w.ticket(w.account, obj{"project_id": w.projectID, "filename": "a.txt"})
	sized := w.ticket(w.account, obj{"project_id": w.projectID, "filename": "b.txt", "size": 5})
	refuse := map[string]func() answer{
		"other bytes than declared": func() answer { return w.bytes(sized, "hell").refused(422, sandlot.CodeDigestMismatch) },
		"no body":                   func() answer { return w.bytes(at, nil).refused(400, sandlot.CodeMissingField) },
		"a form": func() answer {
			return w.bytes(at, "x", with("Content-Type", "multipart/form-data; boundary=x")).refused(415, sandlot.CodeUnsupportedMediaType)
		},
		"a key in it":    func() answer { return w.bytes(at, w.account).refused(422, sandlot.CodeKeyInContent) },
		"a ticket in it": func() answer { return w.bytes(at, at.str("ticket")).refused(422, sandlot.CodeKeyInContent) },
		"packed": func() answer {
			return w.bytes(at, "x", with("Content-Encoding", "gzip")).refused(415, sandlot.CodeUnsupportedMediaType)
		},
		"too large": func() answer {
			return w.bytes(at, strings.Repeat("x", limit+1)).refused(413, sandlot.CodeContentTooLarge)
		},
	}
	for name, send := range refuse {
		w.unchanged(func() {
			if got := send(); name == "no body" && !strings.Contains(got.str("hint"), "curl -T a.txt -H 'Authorization: Bearer <ticket>' "+at.str("url")) {
				t.Errorf("%s: the hint is %s", name, got.str("hint"))
			}
		})
	}
	w.bytes(at, "hello").wants(200)
	w.bytes(sized, "hello").wants(200)
}

func TestABodyThatIsCutShortLeavesTheTicketUsable(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for _, length := range []int64{100, -1} {
		at := w.ticket(w.account, obj{"project_id": w.projectID, "filename": "a.txt"})
		w.unchanged(func() {
			req, err := http.NewRequest("PUT", at.str("url"), io.MultiReader(strings.NewReader("hel"), broken{}))
			expect.OK(t, err)
			req.Header.Set("Authorization", "Bearer "+at.str("ticket"))
			req.ContentLength = length
			if res, err := transport(w.server).RoundTrip(req); err == nil {
				res.Body.Close()
				if res.StatusCode < 400 {
					t.Errorf("half a body gets %d", res.StatusCode)
				}
			}
		})
		w.bytes(at, "hello").wants(200)
	}
}

// broken is a body that ends before its time.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestWhatATicketIsAskedForIsCheckedAtOnce(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for name, c := range map[string]struct {
		key    string
		told   obj
		status int
		code   sandlot.Code
	}{
		"nobody without an address":   {"", obj{}, 400, sandlot.CodeEmailRequired},
		"nobody for an update":        {"", obj{"project_id": w.projectID, "filename": "a"}, 401, sandlot.CodeKeyRequired},
		"an empty project":            {w.account, obj{"project_id": "", "filename": "a"}, 400, sandlot.CodeProjectIDRequired},
		"a project key without it":    {w.project, obj{}, 403, sandlot.CodeAccountKeyRequired},
		"another project":             {w.project, obj{"project_id": "deep-maze-4t8x1q", "filename": "a"}, 404, sandlot.CodeProjectNotFound},
		"no filename":                 {w.account, obj{"project_id": w.projectID}, 400, sandlot.CodeMissingField},
		"a filename and no project":   {w.account, obj{"filename": "a.js"}, 400, sandlot.CodeProjectIDRequired},
		"a version and no project":    {w.account, obj{"if_version": 1}, 400, sandlot.CodeProjectIDRequired},
		"replace and no project":      {w.account, obj{"replace": true}, 400, sandlot.CodeProjectIDRequired},
		"a near miss of the project":  {w.account, obj{"projectId": w.projectID, "filename": "a"}, 400, sandlot.CodeInvalidField},
		"another version":             {w.account, obj{"project_id": w.projectID, "filename": "a", "if_version": 9}, 412, sandlot.CodeVersionConflict},
		"a bad filename":              {w.account, obj{"project_id": w.projectID, "filename": "../a"}, 400, sandlot.CodeInvalidFilename},
		"an archive with a filename":  {w.account, obj{"project_id": w.projectID, "filename": "a", "archive_format": "zip"}, 400, sandlot.CodeInvalidField},
		"an unknown archive":          {w.account, obj{"archive_format": "rar"}, 400, sandlot.CodeInvalidField},
		"content":                     {w.account, obj{"content": page64}, 400, sandlot.CodeInvalidField},
		"text":                        {w.account, obj{"text": page}, 400, sandlot.CodeInvalidField},
		"files":                       {w.account, obj{"files": []any{obj{"filename": "a", "text": "b"}}}, 400, sandlot.CodeInvalidField},
		"an archive":                  {w.account, obj{"archive": "UEsDBA=="}, 400, sandlot.CodeInvalidField},
		"a part":                      {w.account, obj{"part": 1}, 400, sandlot.CodeInvalidField},
		"more than a ticket can keep": {w.account, obj{"title": strings.Repeat("x", 9<<10)}, 400, sandlot.CodeInvalidField},
	} {
		w.unchanged(func() {
			got := w.post("/v1/uploads", c.key, c.told)
			if got.status != c.status || got.str("error") != string(c.code) {
				t.Errorf("%s: got %s", name, got.text)
			}
		})
	}
}

func TestATicketIsGoodForNothingElse(t *testing.T) {
	t.Parallel()
	w := settled(t)
	at := w.ticket(w.account, obj{"project_id": w.projectID, "filename": "a.txt"})
	other := w.ticket(w.account, obj{})
	secret, path := at.str("ticket"), strings.TrimPrefix(at.str("url"), testworld.Places().Base.String())
	mistyped := secret[:39] + "x"
	if mistyped == secret {
		mistyped = secret[:39] + "y"
	}
	w.unchanged(func() {
		for _, rt := range routes() {
			if rt.key == keyIgnored || rt.key == ticketRequired || rt.op == sandlot.OpStats { // which looks at none
				continue
			}
			var body any
			if rt.takes != nil {
				body = obj{}
			}
			w.send(rt.method, strings.NewReplacer("{id}", w.projectID, "{filename}", "a").Replace(rt.pattern), secret, body).refused(401, sandlot.CodeInvalidKey)
		}
		for name, key := range map[string]string{"nobody": "", "a key": w.account, "a project's key": w.project, "a mistyped one": mistyped, "another": other.str("ticket"), "a key in its form": "slt_" + w.account[4:]} {
			want := sandlot.CodeInvalidKey
			if key == "" {
				want = sandlot.CodeKeyRequired
			}
			if got := w.send("PUT", path, key, "x"); got.status != 401 || got.str("error") != string(want) {
				t.Errorf("%s: got %s", name, got.text)
			}
		}
		w.send("PUT", path+"?key="+secret, secret, "x").refused(400, sandlot.CodeKeyNotInHeader)
		w.post("/v1/update", w.account, obj{"project_id": w.projectID, "filename": "a", "content": "YQ==", "ticket": secret}).refused(400, sandlot.CodeKeyNotInHeader)
		w.post(path, secret, "x").refused(405, sandlot.CodeMethodNotAllowed)
	})
	if strings.Contains(at.str("url"), secret) || strings.Contains(w.Logs.String(), "slt_") {
		t.Error("the ticket is in the address or in the log")
	}
}

func TestATicketEndsWithWhatItDependsOn(t *testing.T) {
	t.Parallel()
	update := func(w *cast) answer { return w.ticket(w.account, obj{"project_id": w.projectID, "filename": "a"}) }
	t.Run("its key is revoked", func(t *testing.T) {
		w := newCast(t)
		at := update(w)
		w.revoke(w.account)
		w.bytes(at, "x").refused(401, sandlot.CodeInvalidKey)
	})
	t.Run("its time is over", func(t *testing.T) {
		w := newCast(t)
		at, used := update(w), update(w)
		w.bytes(used, "x").wants(200)
		w.Exec("UPDATE tickets SET expires_at = expires_at - ?", sandlot.TicketLife.Microseconds())
		got := w.bytes(at, "x").refused(401, sandlot.CodeInvalidKey)
		if !strings.Contains(got.str("hint"), "/v1/uploads") {
			t.Errorf("the hint is %s", got.str("hint"))
		}
		w.bytes(used, "x").wants(200)
	})
}

func TestADryRunWithATicketUsesNothing(t *testing.T) {
	t.Parallel()
	w := settled(t)
	at := w.ticket(w.account, obj{"dry_run": true})
	for range 2 {
		w.unchanged(func() { expect.Equal(t, "dry_run", w.bytes(at, page).wants(200).body["dry_run"], true) })
	}
}

// TestTwentyPutsOfOneTicketHaveOneEffect sends them at once, to two nodes.
func TestTwentyPutsOfOneTicketHaveOneEffect(t *testing.T) {
	t.Parallel()
	for set, on := range testworld.Sets {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			w := settled(t, func(s *settings) { s.set = on })
			second := w.Node(t, testworld.RealTime())
			there := New(Config{Service: second.Publish, Reader: second.Publish.Reader, Intake: intake.New(intake.Intake{Contents: second.Publish.Contents, Places: w.api.Places, MaxContent: limit, MaxFile: 4 * limit}), Tickets: second.Tickets, Trials: second.Trials, Gallery: second.Gallery, Figures: second.Figures, Places: w.api.Places, Log: second.Log, Admission: admission.New(admission.Config{Keys: second.Callers}), Archive: w.api.Archive, Index: w.api.Index})
			node := beside(t, w, there)
			before := w.get("/v1/project/"+w.projectID, "").body["version"].(float64)
			at := w.ticket(w.account, obj{"project_id": w.projectID, "filename": "a.txt"})
			var all sync.WaitGroup
			counts := make(chan string, 20)
			for i := range 20 {
				all.Go(func() {
					on := []*world{w, node}[i%2]
					got := on.bytes(at, fmt.Sprint("bytes ", i%4/2))
					counts <- fmt.Sprint(got.status, " ", got.str("error"))
				})
			}
			all.Wait()
			close(counts)
			for got := range counts {
				if got != "200 " && got != "409 ticket_used" && got != "409 request_in_progress" {
					t.Errorf("one gets %s", got)
				}
			}
			expect.Equal(t, "version", w.get("/v1/project/"+w.projectID, "").body["version"].(float64), before+1)
		})
	}
}

// beside is the world with its requests sent to another node.
func beside(t *testing.T, w *world, node *API) *world {
	t.Helper()
	other := &world{World: w.World, t: t, api: node}
	other.serve(t)
	return other
}

func TestTheCommandOfATicketNamesItsFile(t *testing.T) {
	t.Parallel()
	const url = "http://x/v1/uploads/1"
	for file, want := range map[string]string{
		"index.html": "curl -T index.html -H 'Authorization: Bearer <ticket>' " + url,
		"a b's.txt":  `curl -T 'a b'\''s.txt' -H 'Authorization: Bearer <ticket>' ` + url,
		"-":          "curl -T ./- -H 'Authorization: Bearer <ticket>' " + url,
		"a[1].txt":   "curl -g -T 'a[1].txt' -H 'Authorization: Bearer <ticket>' " + url,
	} {
		expect.Equal(t, "command", sendCommand(file, "<ticket>", url), want)
	}
}
