package api

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/transport/intake"
)

const ofPlayersAlone = "no call of the API has it: the tests of the calls of players try its hint"

// withoutCall are the codes for which no corrected call can be shown, each with why
// not. Every other code has a mend in mends.
var withoutCall = map[sandlot.Code]string{
	sandlot.CodeRequestInProgress: "waiting mends it: the same request gets the answer of the one under way",
	sandlot.CodeRateLimited:       "waiting mends it: the same request works after Retry-After",
	sandlot.CodeUnavailable:       "waiting mends it: the same request works after Retry-After",
	sandlot.CodeStorageFull:       "waiting mends it, once the operator has made room",
	sandlot.CodeInternal:          "nothing is wrong with the request: the operator has to look",
	sandlot.CodeReplayedElsewhere: "it is done, and its keys come from the website alone, to whoever reads the account's mail",
	sandlot.CodeInvalidArchive:    "another archive mends it: the message names the entry",
	sandlot.CodeNoPrimaryFile:     "the calls of the built program try its hint",
	sandlot.CodeHeld:              "no call of others mends it: the key of its owner reads it, as the tests of holds do",
	sandlot.CodePlayerRequired:    ofPlayersAlone,
	sandlot.CodeInvalidCode:       ofPlayersAlone,
	sandlot.CodeSaveNotFound:      ofPlayersAlone,
	sandlot.CodeScoreRefused:      ofPlayersAlone,
	sandlot.CodeTooEarly:          ofPlayersAlone,
	sandlot.CodeForeignOrigin:     ofPlayersAlone,
	sandlot.CodeBlocked:           "no call mends it: the operator has to take the entry back",
	sandlot.CodePlaytestOff:       "no call mends it where nothing opens versions: the tests of checks read its hint",
	sandlot.CodeTicketUsed:        "it is done: the hint asks for another ticket, as the tests of tickets do",
}

// mend is a refused call whose hint says in commands how to do better.
type mend struct {
	name   string
	code   sandlot.Code
	method string // POST if empty
	path   string
	key    string // "account", "project", "bad", "new" for that of an account without projects, "" for none
	body   any
	change func(*http.Request)
	wants  string            // a piece of the hint, of several with " & " between them
	never  string            // what the hint must not have
	files  map[string]string // what lies in the folder beside the usual
	fill   map[string]string // what stands for the placeholders
	last   map[string]any    // what the last answer says
	world  func(*testing.T) *world
}

// mends has a call for every code that is not in withoutCall, and for every way in
// which hints were seen to mislead.
func mends(w *world) []mend {
	id, update, pub := w.projectID, "/v1/update", "/v1/publish"
	another := func() string { return w.post(pub, w.account, obj{"content": page64}).str("project_id") }
	second, third := another(), another() // which hints delete
	other := another()
	css := func(more obj) obj {
		body := obj{"project_id": id, "filename": "style.css", "content": b64("b {}")}
		for name, v := range more {
			body[name] = v
		}
		return body
	}
	big := strings.Repeat("<!doctype html><p>large ", 120_000)
	big64 := b64(big)
	kept, mine := map[string]any{"title": "Kept"}, map[string]any{"title": "Mine"}
	form := with("Content-Type", "application/x-www-form-urlencoded")
	bin := with("Content-Type", "application/octet-stream")
	return []mend{
		{name: "text after the object", code: sandlot.CodeInvalidJSON, path: pub, body: `{"email":"own@example.com","title":"Mine","content":"` + page64 + `"} x`, wants: "email=own@example.com", last: mine},
		{
			name: "content twice in a form", code: sandlot.CodeInvalidJSON, path: update, key: "project", change: with("Content-Type", "multipart/form-data; boundary=B"),
			body:  strings.Repeat("--B\r\nContent-Disposition: form-data; name=content; filename=style.css\r\n\r\nb {}\r\n", 2) + "--B\r\nContent-Disposition: form-data; name=project_id\r\n\r\n" + id + "\r\n--B--\r\n",
			wants: "filename=style.css & project_id=" + id,
		},
		{name: "a cut body", code: sandlot.CodeInvalidJSON, path: update, key: "project", body: `{"project_id":"` + id + `","filename":"style.css","content":"PG`, last: map[string]any{"filename": "style.css"}},

		{name: "a part of a part", code: sandlot.CodeInvalidField, path: pub, body: obj{"upload_id": "mine2", "part": "1/2", "email": someone, "title": "Mine", "content": page64}, wants: "<number of this part> & title=Mine", last: map[string]any{"upload_id": "mine2"}},
		{name: "part 0", code: sandlot.CodeInvalidField, path: update, key: "account", body: css(obj{"upload_id": "open", "part": 0}), wants: "<number of this part> & upload_id=open", last: map[string]any{"upload_id": "open"}},
		{name: "an Idempotency-Key with a blank", code: sandlot.CodeInvalidField, path: pub, key: "account", body: obj{"title": "Mine", "content": page64}, change: with("Idempotency-Key", "my key"), wants: "-H 'Idempotency-Key: ", last: mine},
		{name: "two Idempotency-Keys", code: sandlot.CodeInvalidField, path: pub, key: "account", body: obj{"title": "Mine", "content": page64}, change: with("Idempotency-Key", "a", "b"), wants: "-H 'Idempotency-Key: ", last: mine},
		{name: "a project_id that is a number", code: sandlot.CodeInvalidField, path: update, key: "account", body: css(obj{"project_id": 5}), wants: "project_id=<project_id>"},
		{name: "a near miss that says nothing", code: sandlot.CodeInvalidField, path: update, key: "account", body: obj{"slug": "", "filename": "style.css", "content": "YQ=="}, wants: "project_id=<project_id>"},
		{name: "an empty project_id in the query", code: sandlot.CodeInvalidField, path: update + "?project_id=", key: "account", body: obj{"filename": "style.css", "content": "YQ=="}, wants: "project_id=<project_id>"},
		{name: "a near miss of a version that is none", code: sandlot.CodeInvalidField, path: update, key: "account", body: css(obj{"ifVersion": "new"}), wants: "/v1/project/" + id},
		{name: "fields in the query", code: sandlot.CodeInvalidField, path: update + "?project_id=" + id + "&filename=style.css&title=Kept", key: "account", body: obj{"content": "YQ=="}, wants: "project_id=" + id + " & filename=style.css", last: kept},
		{name: "a bad parameter", code: sandlot.CodeInvalidField, method: "GET", path: "/v1/whoami?limit=0", key: "account"},

		{name: "no filename", code: sandlot.CodeMissingField, path: update, key: "project", body: obj{"project_id": id, "content": "YQ==", "title": "Kept"}, wants: "filename=<filename>", last: kept},
		{name: "files", code: sandlot.CodeMissingField, path: pub, key: "account", body: obj{"title": "Many", "files": []obj{{"filename": "index.html", "text": page}, {"filename": "style.css"}}}, wants: "as they are & filename=style.css"},
		{name: "files with a title", code: sandlot.CodeMissingField, path: update, key: "project", body: obj{"project_id": id, "title": "Of files", "files": []string{"style.css", "logo.svg"}}, wants: "'title=Of files'"},
		{name: "files of other folders", code: sandlot.CodeMissingField, path: pub, key: "account", body: obj{"title": "Mine", "files": []obj{{"filename": "index.html"}, {"filename": "js/a b.js"}, {"path": "style.css"}}}, wants: "as they are", files: map[string]string{"js/a b.js": "a"}, last: mine},
		{name: "files to delete", code: sandlot.CodeMissingField, path: "/v1/delete-file", key: "project", body: obj{"project_id": id, "files": []string{"gone.txt", "gone too.txt", "logo.svg?v=2"}}, wants: "gone.txt & gone too.txt & <filename>", fill: map[string]string{"<filename>": "gone three.txt"}, last: map[string]any{"removed": 3.0}},
		{name: "files by name", code: sandlot.CodeInvalidField, path: update, key: "project", body: obj{"project_id": id, "files": obj{"style.css": 7, "logo.svg": "<svg/>"}}, wants: "filename=logo.svg"},
		{name: "no content", code: sandlot.CodeMissingField, path: pub, key: "account", body: obj{"title": "Mine"}, last: mine},
		{name: "an update without a key's project", code: sandlot.CodeProjectIDRequired, path: update, key: "project", body: css(obj{"project_id": nil, "title": "Kept"}), last: kept},
		{name: "an empty project_id", code: sandlot.CodeProjectIDRequired, path: update, key: "account", body: css(obj{"project_id": ""}), wants: "<project_id>"},

		{name: "a version that was never made", code: sandlot.CodeVersionNotFound, path: "/v1/restore", key: "project", body: obj{"project_id": id, "version": 9999}, wants: "/v1/project/" + id + "/versions", last: map[string]any{"project_id": id}},
		{name: "no version", code: sandlot.CodeMissingField, path: "/v1/restore", key: "project", body: obj{"project_id": id}, wants: "/v1/project/" + id + "/versions", last: map[string]any{"project_id": id}},

		{name: "no address", code: sandlot.CodeEmailRequired, path: pub, body: obj{"title": "Mine", "content": page64}, wants: "<your e-mail>", last: mine},
		{name: "an address under another name", code: sandlot.CodeEmailRequired, path: pub, body: obj{"name": "Mine", "content": page64, "user_email": "own@example.com"}, wants: "email=own@example.com", last: mine},
		{name: "a bad address", code: sandlot.CodeInvalidEmail, path: pub, body: obj{"title": "Mine", "content": page64, "email": "me"}, wants: "<your e-mail>", last: mine},
		{name: "a name around an address", code: sandlot.CodeInvalidEmail, path: pub, body: obj{"title": "Mine", "content": page64, "email": "Kim <own@example.com>"}, wants: "email=own@example.com", last: mine},
		{name: "the placeholder of an address", code: sandlot.CodeInvalidEmail, path: pub, body: obj{"title": "Mine", "content": page64, "email": "<your e-mail>"}, wants: "<your e-mail>", last: mine},
		{name: "a bad address at signup", code: sandlot.CodeInvalidEmail, path: "/v1/signup", body: obj{"handle": "ada", "email": "me"}, wants: "<your e-mail>"},

		{name: "raw text", code: sandlot.CodeInvalidContent, path: pub, key: "account", body: obj{"content": "<h1>", "title": "Mine"}, last: mine},
		{name: "raw text, under an Idempotency-Key", code: sandlot.CodeInvalidContent, path: pub, key: "account", body: obj{"content": "<h1>", "title": "Mine"}, change: with("Idempotency-Key", "once-1"), wants: "-H 'Idempotency-Key: once-1'", last: mine},
		{name: "raw text for a project under another name", code: sandlot.CodeInvalidContent, path: update, key: "account", body: obj{"slug": id, "path": "style.css", "content": "b {}"}, wants: "project_id=" + id + " & filename=style.css"},
		{name: "an unaligned part", code: sandlot.CodeInvalidContent, path: update, key: "account", body: `{"project_id":"` + id + `","upload_id":"open","part":2,"content":"QUJDQ"}`, wants: "Each part is base64 on its own & content=@<file with part 2> & upload_id=open", last: map[string]any{"upload_id": "open"}},
		{name: "encoded twice", code: sandlot.CodeDoubleEncoded, path: pub, key: "account", body: obj{"content": b64(page64), "title": "Mine"}, last: mine},
		{name: "gzip that is not declared", code: sandlot.CodeDoubleEncoded, path: pub, key: "account", body: obj{"content": b64(gz(page)), "title": "Mine"}, last: mine},
		{name: "another size", code: sandlot.CodeDigestMismatch, path: pub, key: "account", body: obj{"content": page64, "size": 1, "sha256": sum(page), "title": "Kept"}, wants: "sha256=" + sum(page) + " & size=<size of the file>", fill: map[string]string{"<size of the file>": strconv.Itoa(len(page))}, last: kept},
		{name: "a key in the file", code: sandlot.CodeKeyInContent, path: pub, key: "account", body: obj{"content": b64("<b>" + w.account), "title": "Mine"}, wants: "Take the key out", last: mine},
		{name: "a file in fences", code: sandlot.CodeLooksDamaged, path: update, key: "project", body: obj{"project_id": id, "filename": "game.js", "content": b64("```js\nlet a\n```\n")}, wants: "Send only what stands between & force=true", files: map[string]string{"game.js": "a"}, last: map[string]any{"filename": "game.js"}},

		{name: "a query behind the name", code: sandlot.CodeInvalidFilename, path: update, key: "project", body: css(obj{"filename": "game.js?v=2"}), wants: "filename=game.js & content=@game.js?v=2", files: map[string]string{"game.js?v=2": "a"}, last: map[string]any{"filename": "game.js"}},
		{name: "an escape in the name", code: sandlot.CodeInvalidFilename, path: update, key: "project", body: css(obj{"filename": "my%20logo.png"}), wants: "filename=my logo.png & content=@my%20logo.png", files: map[string]string{"my%20logo.png": "a"}, last: map[string]any{"filename": "my logo.png"}},
		{name: "a path of the machine", code: sandlot.CodeInvalidFilename, path: update, key: "project", body: css(obj{"filename": "/home/user/project/game.js"}), wants: "Which folder is the root & filename=game.js & content=@/home/user/project/game.js", files: map[string]string{"home/user/project/game.js": "a"}, last: map[string]any{"filename": "game.js"}},
		{
			name: "the sender's own file in a form", code: sandlot.CodeFilenameConflict, path: update, key: "project", change: with("Content-Type", "multipart/form-data; boundary=B"),
			body: "--B\r\nContent-Disposition: form-data; name=content; filename=game.html\r\n\r\n" + page + "\r\n--B\r\nContent-Disposition: form-data; name=project_id\r\n\r\n" + id +
				"\r\n--B\r\nContent-Disposition: form-data; name=filename\r\n\r\nINDEX.HTML\r\n--B--\r\n",
			wants: "filename=index.html & content=@game.html", files: map[string]string{"game.html": page},
		},
		{name: "a folder", code: sandlot.CodeInvalidFilename, path: update, key: "project", body: css(obj{"filename": "js/", "title": "Kept"}), wants: "filename=<filename>", last: kept},
		{name: "the page in another case", code: sandlot.CodeFilenameConflict, path: update, key: "project", body: css(obj{"filename": "Index.html"}), wants: "filename=index.html & content=@Index.html", files: map[string]string{"Index.html": page}, last: map[string]any{"filename": "index.html"}},

		{name: "another name in another case", code: sandlot.CodeFilenameConflict, path: update, key: "project", body: css(obj{"filename": "Logo.svg", "title": "Kept"}), wants: "logo.svg", files: map[string]string{"Logo.svg": "<svg/>"}, last: kept},

		{name: "a key in the body", code: sandlot.CodeKeyNotInHeader, path: update, key: "project", body: css(obj{"api_key": "x", "title": "Kept"}), wants: "Send the key in the header. It may have been logged & replace it at http://localhost:8080/account when you can", never: "sign", last: kept},
		{name: "a key in the query", code: sandlot.CodeKeyNotInHeader, path: update + "?api_key=x", body: css(obj{"title": "Of the query"}), wants: "/account when you can", last: map[string]any{"title": "Of the query"}},
		{name: "a key in the body of a signup", code: sandlot.CodeKeyNotInHeader, path: "/v1/signup", body: obj{"api_key": "x", "handle": "ada"}, wants: "/v1/whoami"},
		{name: "an upload_token in the body", code: sandlot.CodeKeyNotInHeader, path: pub, body: part("tokened", 2, page[9:], obj{"upload_token": "x", "total_parts": 2}), wants: "Bearer <upload_token>", fill: map[string]string{"<upload_token>": w.token("tokened")}, last: map[string]any{"version": 1.0}},
		{name: "a key as the user's name", code: sandlot.CodeKeyNotInHeader, path: pub, body: obj{"title": "Mine", "content": page64}, change: func(r *http.Request) { r.SetBasicAuth(w.account, "") }, wants: "/account when you can", last: mine},
		{name: "a key in the body of a path that there is not", code: sandlot.CodeKeyNotInHeader, path: "/v1/udpate", body: css(obj{"api_key": "x", "title": "Kept"}), wants: "/account when you can"},
		{name: "no key", code: sandlot.CodeKeyRequired, path: update, body: css(obj{"title": "Kept"}), last: kept},
		{name: "no key to read with", code: sandlot.CodeKeyRequired, method: "GET", path: "/v1/export"},
		{name: "a bad key", code: sandlot.CodeInvalidKey, path: update, key: "bad", body: css(obj{"title": "Kept"}), wants: "title=Kept", last: kept},
		{name: "a bad key, and curl -d", code: sandlot.CodeInvalidKey, path: pub, key: "bad", body: `{"title":"Mine","content":"` + page64 + `"}`, change: form, last: mine},
		{name: "a project key on publish", code: sandlot.CodeAccountKeyRequired, path: pub, key: "project", body: obj{"title": "Mine", "content": page64}, last: mine},
		{name: "another project", code: sandlot.CodeWrongProject, path: update, key: "project", body: css(obj{"project_id": w.post(pub, w.account, obj{"content": page64}).str("project_id")})},
		{name: "no such project", code: sandlot.CodeProjectNotFound, path: update, key: "account", body: css(obj{"project_id": "nothing"})},
		{name: "no such file", code: sandlot.CodeFileNotFound, path: "/v1/delete-file", key: "project", body: obj{"project_id": id, "filename": "nothing.css"}},
		{name: "no project yet", code: sandlot.CodeNoProjects, path: update, key: "new", body: obj{"filename": "style.css", "content": "YQ==", "title": "Mine"}, last: mine},
		{name: "the primary file", code: sandlot.CodePrimaryFileProtected, path: "/v1/delete-file", key: "project", body: obj{"project_id": id, "filename": "index.html"}, last: map[string]any{"filename": "index.html"}},
		{name: "an edit of what is not there", code: sandlot.CodeEditNotFound, path: update, key: "project", body: obj{"project_id": id, "edits": edits("index.html", "no such text", "b")}, wants: "/files/index.html"},
		{name: "an edit of what is there twice", code: sandlot.CodeEditAmbiguous, path: update, key: "project", body: obj{"project_id": id, "edits": edits("index.html", "<", "b")}, wants: "/files/index.html"},
		{name: "an old version of edits", code: sandlot.CodeVersionConflict, path: update, key: "project", body: obj{"project_id": id, "if_version": 1, "edits": edits("gone.txt", "a", "b"), "delete": []string{"gone too.txt"}}, wants: "gone.txt", last: map[string]any{"removed": 1.0}},

		{name: "an old version", code: sandlot.CodeVersionConflict, path: update, key: "project", body: css(obj{"if_version": 1, "title": "Kept"}), last: kept},
		{name: "an old version to delete", code: sandlot.CodeVersionConflict, path: "/v1/delete-file", key: "project", body: obj{"project_id": id, "filename": "gone.txt", "if_version": 1}, last: map[string]any{"deleted": "gone.txt"}},
		{name: "an old If-Match", code: sandlot.CodeVersionConflict, path: update, key: "project", body: css(obj{"title": "Kept"}), change: with("If-Match", `"1"`), last: kept},

		{name: "the export of a project", code: sandlot.CodeNotFound, method: "GET", path: "/v1/export/" + id, key: "account", wants: "/v1/export"},
		{name: "statistics without a key", code: sandlot.CodeKeyRequired, method: "GET", path: "/v1/project/" + id + "/stats?by=version", wants: "/stats?by=version & Authorization", last: map[string]any{"by": "version"}},
		{name: "PUT", code: sandlot.CodeMethodNotAllowed, method: "PUT", path: pub, key: "account", body: obj{"title": "Mine", "content": page64}, last: mine},
		{name: "DELETE of numbers", code: sandlot.CodeMethodNotAllowed, method: "DELETE", path: "/v1/project/" + id + "/stats", key: "account", wants: "/v1/delete-file & /account"},
		{name: "DELETE without a word", code: sandlot.CodeMissingField, method: "DELETE", path: "/v1/project/" + second, key: "account", last: map[string]any{"project_id": second}},
		{name: "DELETE with another id", code: sandlot.CodeInvalidField, method: "DELETE", path: "/v1/project/" + third, key: "account", body: obj{"confirm": id}, last: map[string]any{"project_id": third}},
		{name: "DELETE with a file", code: sandlot.CodeMethodNotAllowed, method: "DELETE", path: "/v1/delete-file", key: "account", body: obj{"project_id": id, "filename": "gone.txt"}, last: map[string]any{"deleted": "gone.txt"}},
		{name: "GET", code: sandlot.CodeMethodNotAllowed, method: "GET", path: pub, key: "account"},

		{name: "too large", code: sandlot.CodeContentTooLarge, path: pub, key: "account", body: `{"title":"Mine","content":"` + big64 + `"}`, wants: "split -a 4 -b 1048576", files: map[string]string{"index.html": big}, last: mine},
		{name: "too large, without a key", code: sandlot.CodeContentTooLarge, path: pub, body: `{"email":"own@example.com","title":"It's $(big)","content":"` + big64 + `"}`, wants: "own@example.com", files: map[string]string{"index.html": big}, last: map[string]any{"title": "It's $(big)"}},
		{name: "a file too large", code: sandlot.CodeContentTooLarge, path: update, key: "project", body: `{"project_id":"` + id + `","filename":"data/a b;c.bin","content":"` + big64 + `"}`, wants: "data/a b;c.bin", files: map[string]string{"data/a b;c.bin": big}, last: map[string]any{"sha256": sum(big)}},
		{name: "a body too large for any content", code: sandlot.CodeContentTooLarge, path: pub, key: "account", body: `{"title":"Mine","content":"` + strings.Repeat("QUJD", limit) + `"}`, files: map[string]string{"index.html": big}, last: mine},
		{name: "a part too large", code: sandlot.CodeContentTooLarge, path: update, key: "account", body: `{"project_id":"` + id + `","filename":"data.bin","upload_id":"large","part":1,"content":"` + big64 + `"}`, wants: "<whole file>", fill: map[string]string{"<whole file>": "data.bin"}, files: map[string]string{"data.bin": big}, last: map[string]any{"sha256": sum(big)}},

		{name: "curl -d with pairs", code: sandlot.CodeUnsupportedMediaType, path: pub, body: "title=Mine&email=own%40example.com&content=" + page64, change: form, wants: "email=own@example.com", last: mine},
		{name: "the bytes alone", code: sandlot.CodeUnsupportedMediaType, path: update + "?project_id=" + id + "&filename=style.css", key: "project", body: "b {}", change: bin, wants: "filename=style.css & project_id=" + id},

		{name: "part 2 first", code: sandlot.CodePart1First, path: pub, key: "account", body: part("mine", 2, page[9:], obj{"total_parts": 2}), wants: "upload_id=mine & <file with part 1> & <file with part 2>", last: map[string]any{"version": 1.0}},
		{name: "part 2 first, without a key", code: sandlot.CodePart1First, path: pub, body: part("anon", 2, page[9:], obj{"total_parts": 2}), wants: "<upload_token> & <file with part 1> & <file with part 2>", last: map[string]any{"version": 1.0}},
		{name: "a part above the total", code: sandlot.CodePartOutOfRange, path: update, key: "account", body: part("open", 10, "x", obj{"project_id": id, "filename": "style.css"})},
		{name: "another total", code: sandlot.CodePartOutOfRange, path: update, key: "account", body: part("open", 2, "x", obj{"filename": "style.css", "total_parts": 5})},
		{name: "another project than part 1", code: sandlot.CodeInvalidField, path: update, key: "account", body: part("open", 2, "x", obj{"project_id": other, "filename": "style.css"}), wants: "upload_id=open"},
		{name: "no upload_id", code: sandlot.CodeMissingField, path: update, key: "account", body: css(obj{"part": 2}), wants: "project_id=" + id},
		{name: "an upload_id of blanks", code: sandlot.CodeInvalidField, path: pub, key: "account", body: part("a b", 1, "x", nil)},
		{name: "a total without parts", code: sandlot.CodePart1First, path: pub, key: "account", body: obj{"upload_id": "total", "total_parts": 2}, wants: "upload_id=total"},
		{name: "part 1 without an address", code: sandlot.CodeEmailRequired, path: pub, body: part("addressed", 1, "x", nil), wants: "<your e-mail> & upload_id=addressed"},
		{name: "a completed upload of a file", code: sandlot.CodeUploadCompleted, path: update, key: "account", body: part("filed", 2, "x", obj{"project_id": id}), wants: "/v1/project/" + id},
		{name: "a completed upload", code: sandlot.CodeUploadCompleted, path: pub, key: "account", body: part("done", 1, "other", obj{"total_parts": 1})},
		{name: "an upload that is there", code: sandlot.CodeUploadExists, path: pub, body: part("taken", 1, "y", obj{"email": someone, "title": "Mine"}), wants: "title=Mine"},
		{name: "the Idempotency-Key of another request", code: sandlot.CodeIdempotencyMismatch, path: pub, key: "account", body: obj{"title": "Mine", "content": page64}, change: with("Idempotency-Key", "used"), wants: "-H 'Idempotency-Key: ", last: mine},

		{name: "without a key where it needs one", code: sandlot.CodePublishClosed, path: pub, body: obj{"title": "Mine", "content": page64, "email": someone}, last: mine, world: func(t *testing.T) *world {
			w := settled(t)
			w.Publish.Opening = sandlot.OpenToKeys
			return w
		}},
		{name: "one project too many", code: sandlot.CodeQuotaExceeded, path: pub, key: "account", body: obj{"content": page64}, world: func(t *testing.T) *world {
			return settled(t, func(s *settings) { s.cfg.Quota.Projects = 1 })
		}},
		{name: "a suspended account", code: sandlot.CodeAccountSuspended, path: pub, key: "account", body: obj{"content": page64}, wants: "/v1/export", world: func(t *testing.T) *world {
			w := settled(t)
			_, err := w.Operate.Suspend(t.Context(), byOperator, "@"+w.get("/v1/whoami", w.account).str("handle"), "spam")
			return w.without(err)
		}},
		{name: "a project taken down", code: sandlot.CodeTakenDown, path: pub, key: "account", wants: "/v1/export", world: func(t *testing.T) *world {
			w := settled(t)
			_, err := w.Operate.Suspend(t.Context(), byOperator, w.projectID, "a report")
			return w.without(err)
		}},
		{name: "no such board", code: sandlot.CodeBoardNotFound, method: "GET", path: "/v1/project/" + id + "/boards/none", key: "project", wants: "/v1/project/" + id + "/boards"},
		{name: "a bound that is none", code: sandlot.CodeInvalidField, method: "PATCH", path: "/v1/project/" + id + "/boards/main", key: "project", body: obj{"max": "much", "min": 1}, wants: "/v1/project/" + id + "/boards/main"},
		{name: "a version without errors", code: sandlot.CodeVersionNotFound, method: "GET", path: "/v1/project/" + id + "/errors?version=999", key: "project", wants: "/errors?version="},
		{name: "an id of no message", code: sandlot.CodeInvalidField, method: "DELETE", path: "/v1/project/" + id + "/feedback/x", key: "project", wants: "/feedback"},
		{name: "a service that stores nothing for players", code: sandlot.CodeRuntimeOff, method: "GET", path: "/v1/project/" + id + "/boards", key: "project", wants: "/v1/project/" + id, world: func(t *testing.T) *world {
			off, cfg := *w, w.api.Config
			cfg.Players = nil
			off.api = New(cfg)
			off.serve(t)
			return &off
		}},
		{name: "damaged bytes", code: sandlot.CodeBlobCorrupt, method: "GET", path: "/v1/export", key: "account", wants: "/v1/update & filename=data.bin", files: map[string]string{"data.bin": "new"}, last: map[string]any{"filename": "data.bin"}, world: func(t *testing.T) *world {
			w := settled(t)
			w.put("data.bin", noise(20_000))
			w.damage()
			return w
		}},
	}
}

// token begins an upload without a key, and gives its upload_token.
func (w *world) token(id string) string {
	return w.post("/v1/publish", "", part(id, 1, page[:9], obj{"email": someone})).wants(202).str("upload_token")
}

func (w *world) without(err error) *world {
	w.t.Helper()
	expect.OK(w.t, err)
	return w
}

func TestRegression19EveryCodeHasAHintThatWorks(t *testing.T) {
	t.Parallel()
	table := mends(refusing(t))
	for code := range sandlot.Codes {
		mended := slices.ContainsFunc(table, func(m mend) bool { return m.code == code })
		if why := withoutCall[code]; mended == (why != "") {
			t.Errorf("%s: a case in the table is %v, and the reason to have none is %q", code, mended, why)
		}
	}
	const groups = 4 // each in a world of its own, beside the others
	for group := range groups {
		t.Run(fmt.Sprint("group ", group), func(t *testing.T) {
			t.Parallel()
			w := refusing(t)
			table := mends(w)
			for i := group; i < len(table); i += groups {
				m := table[i]
				t.Run(string(m.code)+"/"+m.name, func(t *testing.T) {
					own := w
					if m.world != nil {
						own = m.world(t)
					}
					own.in(t).mends(t, m)
				})
			}
		})
	}
}

// saysField reports whether a hint has a text, or a field as a form or a JSON object has it.
func saysField(hint, wants string) bool {
	plain := strings.ReplaceAll(testenv.AsCurl(hint), "'", "")
	name, value, _ := strings.Cut(strings.ReplaceAll(wants, "'", ""), "=")
	return strings.Contains(plain, strings.ReplaceAll(wants, "'", "")) || strings.Contains(plain, `"`+name+`":"`+value+`"`) || strings.Contains(plain, `"`+name+`":`+value) || name == "content" && strings.Contains(plain, sandlot.PlaceholderText)
}

// refusing is a world with the uploads and the call that the table of mends is about.
func refusing(t *testing.T) *world {
	t.Helper()
	w := settled(t)
	css := obj{"project_id": w.projectID, "filename": "style.css"}
	w.post("/v1/update", w.account, part("open", 1, "x", css)).wants(202)
	w.post("/v1/update", w.account, part("open", 9, "x", obj{"project_id": w.projectID, "total_parts": 9})).wants(202)
	w.post("/v1/publish", w.account, part("done", 1, "x", obj{"total_parts": 1})).wants(201)
	w.post("/v1/update", w.account, part("filed", 1, "x", obj{"project_id": w.projectID, "filename": "style.css", "total_parts": 1})).wants(200)
	w.post("/v1/publish", "", part("taken", 1, "x", obj{"email": someone})).wants(202)
	w.post("/v1/publish", w.account, obj{"content": b64("<p>other")}, with("Idempotency-Key", "used")).wants(201)
	w.played(w.projectID)
	return w
}

// mends sends a call that is refused, and does what its hint says.
func (w *world) mends(t *testing.T, m mend) {
	key := map[string]string{"account": w.account, "project": w.project, "bad": "sla_x"}[m.key]
	if m.key == "new" {
		key = w.post("/v1/signup", "", obj{}).wants(201).str("api_key")
	}
	if m.code == sandlot.CodeTakenDown {
		m.path, m.body = "/v1/update", obj{"project_id": w.projectID, "filename": "a.txt", "content": "YQ=="}
	}
	if m.world == nil {
		w.put("gone.txt", "a")
		w.put("gone too.txt", "a")
		w.put("gone three.txt", "a")
	}
	var got answer
	w.unchanged(func() {
		got = w.send(or(m.method, "POST"), m.path, key, m.body, m.changed(), lax).refused(intake.StatusOf(m.code), m.code)
	})
	hint := got.str("hint")
	for wants := range strings.SplitSeq(m.wants, " & ") {
		if !saysField(hint, wants) {
			t.Errorf("the hint lacks %q:\n%s", wants, hint)
		}
	}
	if m.never != "" && strings.Contains(hint, m.never) {
		t.Errorf("the hint has %q:\n%s", m.never, hint)
	}
	s := w.shell(t, m.fill)
	if m.key == "new" {
		s.fill["<api_key>"] = key
	}
	for name, text := range map[string]string{"index.html": page, "logo.svg": "<svg/>", "piece": "x", "piece1": page[:9], "piece2": page[9:], "style.css": "b {}"} {
		s.file(name, text)
	}
	for name, text := range m.files {
		s.file(name, text)
	}
	lines := tidy(t, hint)
	if len(lines) == 0 {
		t.Fatalf("nothing to paste: %s", hint)
	}
	before := w.versions()
	for _, line := range lines {
		line = strings.ReplaceAll(line, "@/home/", "@home/") // the folder is not the machine's
		s.refusedUnfilled(line)
		s.succeeds(line)
	}
	changed := 0
	for id, version := range w.versions() {
		if was, ok := before[id]; ok && was != version {
			changed++
		}
	}
	if changed > 1 {
		t.Errorf("it changes %d projects:\n%s", changed, hint)
	}
	for name, want := range m.last {
		if s.last[name] != want {
			t.Errorf("%s is %v, want %v: %v", name, s.last[name], want, s.last)
		}
	}
}

// versions are those of the account's projects.
func (w *world) versions() map[string]any {
	w.t.Helper()
	out := map[string]any{}
	list, _ := w.get("/v1/whoami?limit=1000", w.account).body["projects"].([]any)
	for _, p := range list {
		out[p.(obj)["project_id"].(string)] = p.(obj)["version"]
	}
	return out
}

func (m mend) changed() func(*http.Request) {
	if m.change == nil {
		return func(*http.Request) {}
	}
	return m.change
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// TestRegression19WaitingIsSaidInProse is about the codes that no other call mends.
func TestRegression19WaitingIsSaidInProse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *settings) {
		s.limits, s.addr = admission.Config{Writes: admission.Rate{Count: 1, Per: time.Hour, Burst: 4}}, "203.0.113.1:4711"
	})
	waits := func(code sandlot.Code) {
		t.Helper()
		got := w.post("/v1/signup", "", obj{}).refused(intake.StatusOf(code), code)
		if lines := tidy(t, got.str("hint")); len(lines) > 0 || withoutCall[code] == "" {
			t.Errorf("%s proposes a call: %s", code, got.text)
		}
		if strings.HasPrefix(withoutCall[code], "waiting") && (got.header.Get("Retry-After") == "" || !strings.Contains(got.str("hint"), "again") && code != sandlot.CodeRateLimited) {
			t.Errorf("%s does not say to wait: %s", code, got.text)
		}
	}
	for code, err := range map[sandlot.Code]error{sandlot.CodeStorageFull: sandlot.NoEffect(sandlot.ErrFull), sandlot.CodeUnavailable: sandlot.ErrUnavailable, sandlot.CodeInternal: errors.New("SELECT")} {
		w.Faults.Step = func(string) (before, after error) { return err, nil }
		waits(code)
	}
	w.Faults.Step = nil
	w.post("/v1/signup", "", obj{}).wants(201)
	waits(sandlot.CodeRateLimited)
}
