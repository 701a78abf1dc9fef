package model_test

import (
	"maps"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sandlot"
	"sandlot/internal/domain/publish"
)

// partCall is one call of a chunked upload.
type partCall struct {
	by    actor
	op    sandlot.Op
	id    string
	n     int // 0 in a call that only has the total
	total int // 0: not given
	last  bool
	text  string
	token bool // nobody comes from another network with the upload_token, if there is one

	title, email string   // of a publish, with part 1
	project      *project // of an update
	filename     string
	ifVersion    *int
}

// ids are few, so that uploads meet, but more than one may have at once.
var ids = []string{"u", "v", "w"}

// elsewhere is a network from which uploads are joined by their upload_token.
var elsewhere = sandlot.Sender{Network: "198.51.100.7"}

// part draws a call of an upload: mostly one that fits what there is, else any.
func (m *machine) part(t *rapid.T) {
	open := m.openUploads()
	if len(open) > 0 && often(t, "next part") {
		m.nextPart(t, pick(t, "upload", open))
		return
	}
	m.begin(t)
}

// finish sends what is the last that an upload lacks, where there is such.
func (m *machine) finish(t *rapid.T) {
	for _, u := range m.openUploads() {
		if len(u.parts) == u.total-1 {
			m.nextPart(t, u)
			return
		}
	}
	m.part(t)
}

// begin draws a call that mostly begins an upload.
func (m *machine) begin(t *rapid.T) {
	c := partCall{by: m.actor(t), id: pick(t, "upload_id", ids), n: 1}
	c.op = rapid.SampledFrom([]sandlot.Op{sandlot.OpPublish, sandlot.OpUpdate}).Draw(t, "op")
	c.total = rapid.SampledFrom([]int{0, 2, 2, 3, 1}).Draw(t, "total_parts")
	if !often(t, "part 1") {
		c.n = rapid.IntRange(0, 3).Draw(t, "part")
	}
	if c.n == 0 && c.total == 0 {
		c.total = 2
	}
	if c.n > 0 {
		c.last, c.text = !often(t, "not the last"), partText(t)
	}
	m.drawMetadata(t, &c)
	m.send(t, c)
}

// drawMetadata draws what part 1 says of the whole.
func (m *machine) drawMetadata(t *rapid.T, c *partCall) {
	c.title, c.filename = orEmpty(maybe(t, "title", "Joined")), rapid.SampledFrom(names).Draw(t, "filename")
	if c.by.nobody() {
		c.email = rapid.SampledFrom([]string{"ada@example.org", "bob@example.org", ""}).Draw(t, "email")
	}
	switch mine := m.projects; {
	case len(mine) == 0:
	case !c.by.nobody() && len(m.covered(c.by)) > 0 && often(t, "own project"):
		c.project = pick(t, "project", m.covered(c.by))
	default:
		c.project = pick(t, "project", mine)
	}
	c.ifVersion = ifVersion(t, c.project)
}

// openUploads returns those that lack parts, and those whose file was refused.
func (m *machine) openUploads() (open []*upload) {
	for _, key := range slices.Sorted(maps.Keys(m.uploads)) {
		if u := m.upload(key); u != nil && u.project == nil {
			open = append(open, u)
		}
	}
	return open
}

// nextPart sends what an upload lacks, or a part of it again with other bytes.
func (m *machine) nextPart(t *rapid.T, u *upload) {
	c := u.first
	c.total, c.last, c.n = 0, false, 0
	c.token = rapid.Bool().Draw(t, "by token")
	most := u.total
	if u.total == 0 {
		most = 3
		c.total = rapid.SampledFrom([]int{0, 0, 2, 3}).Draw(t, "total_parts")
	}
	var missing []int
	for n := 1; n <= most; n++ {
		if u.parts[n] == "" {
			missing = append(missing, n)
		}
	}
	if len(missing) > 0 && often(t, "a missing part") {
		c.n = pick(t, "part", missing)
	} else if c.total == 0 || often(t, "a part") {
		c.n = rapid.IntRange(1, most).Draw(t, "part")
	}
	if c.n > 0 {
		c.text = partText(t)
	}
	m.send(t, c)
}

// partText draws bytes that are no base64 of a page, also when they are joined.
func partText(t *rapid.T) string {
	for {
		if s := text(t); s != base64Page && s != "" {
			return s
		}
	}
}

// partAgain sends an earlier call again, as it was.
func (m *machine) partAgain(t *rapid.T) {
	if len(m.recent) == 0 {
		m.part(t)
		return
	}
	m.send(t, m.recent[len(m.recent)-1-rapid.IntRange(0, len(m.recent)-1).Draw(t, "calls ago")])
}

// send makes the call and compares.
func (m *machine) send(t *rapid.T, c partCall) {
	if c.op == sandlot.OpUpdate && c.project == nil {
		c.op = sandlot.OpPublish
	}
	u := m.upload(uploadKey(c.by, c.op, c.id))
	c.token = c.token && u != nil && u.token != ""
	if u != nil && c.op == sandlot.OpUpdate && c.n != 1 {
		c.project = u.first.project
	}
	m.recent = append(m.recent, c)
	m.recent = m.recent[max(0, len(m.recent)-recentCalls):]
	answer, err := m.makeCall(t, c, u)
	if m.lost(err) {
		m.sendAfterCrash(t, c)
		return
	}
	switch why := m.refusedPart(c, u); {
	case len(why) > 0:
		m.happened(t, "part", err, why)
	case u != nil && u.project != nil:
		m.replayed(t, c, u, answer, err)
	default:
		m.accepted(t, c, u, answer, err)
	}
}

// sendAfterCrash makes a call again that was lost: it does what it would have done, once. A call without bytes proves
// who makes it by the upload_token.
func (m *machine) sendAfterCrash(t *rapid.T, c partCall) {
	if m.sure() {
		m.cut = false
		m.crash(t, rapid.Uint64().Draw(t, "what the first crash leaves"))
		m.send(t, c)
		return
	}
	m.fall(t)
	c.token = c.token || c.n == 0
	m.send(t, c)
}

// partAnswer is what came back.
type partAnswer struct {
	published publish.Published
	updated   publish.Updated
	pending   *publish.Pending
}

func (m *machine) makeCall(t *rapid.T, c partCall, u *upload) (out partAnswer, err error) {
	content := publish.Content{Missing: true}
	if c.n > 0 {
		if content, err = m.stage(t, c.text); err != nil {
			return out, err
		}
	}
	in := &publish.PartInput{UploadID: c.id, Last: c.last}
	if c.n > 0 {
		in.N = &c.n
	}
	if c.total > 0 {
		in.Total = &c.total
	}
	by := m.caller(t, c.by)
	if c.token {
		if by, err = m.Identify(t.Context(), sandlot.Presented{Key: u.token}, elsewhere); err != nil {
			return out, err
		}
	}
	if c.op == sandlot.OpPublish {
		out.published, out.pending, err = m.Publish(t.Context(), by,
			publish.PublishInput{Title: c.title, Email: c.email, Content: content, Part: in})
	} else {
		out.updated, out.pending, err = m.Update(t.Context(), by,
			publish.UpdateInput{Project: string(c.project.id), Filename: c.filename, IfVersion: c.ifVersion, Content: content, Part: in})
	}
	return out, err
}

// refusedPart returns the reason for which a call is refused before anything of it is kept, if so.
func (m *machine) refusedPart(c partCall, u *upload) (why []sandlot.Code) {
	switch {
	case c.op == sandlot.OpPublish && c.by.scoped():
		return []sandlot.Code{sandlot.CodeAccountKeyRequired}
	case c.op == sandlot.OpUpdate && c.by.nobody():
		return []sandlot.Code{sandlot.CodeKeyRequired}
	case c.op == sandlot.OpPublish && c.n == 1 && c.by.nobody() && c.email == "":
		return []sandlot.Code{sandlot.CodeEmailRequired}
	case c.op == sandlot.OpUpdate && !c.by.may(c.project) && (c.n == 1 || u != nil):
		return []sandlot.Code{sandlot.CodeWrongProject, sandlot.CodeUploadCompleted}
	case c.op == sandlot.OpUpdate && u != nil && !c.by.may(u.first.project):
		return []sandlot.Code{sandlot.CodeWrongProject} // its own, but the upload is to another
	case u == nil && c.n != 1:
		return []sandlot.Code{sandlot.CodePart1First, sandlot.CodeWrongProject}
	case u == nil && !outOfRange(c, u) && m.unfinished(uploadOwner(c.by)) >= maxUploads: // what a call says itself is looked at first
		return []sandlot.Code{sandlot.CodeQuotaExceeded}
	case u != nil && u.project != nil:
		return nil
	}
	if outOfRange(c, u) {
		return []sandlot.Code{sandlot.CodePartOutOfRange}
	}
	if u != nil && c.fixed(u) && u.parts[1] != c.text {
		return []sandlot.Code{sandlot.CodeUploadExists}
	}
	return nil
}

// outOfRange reports whether a call contradicts the total, or itself.
func outOfRange(c partCall, u *upload) bool {
	total, highest := 0, c.n
	if u != nil {
		total, highest = u.total, max(highest, slices.Max(slices.Collect(maps.Keys(u.parts))))
	}
	for _, told := range []int{c.total, c.lastPart()} {
		if told != 0 && total != 0 && told != total {
			return true
		}
		total = max(total, told)
	}
	return total != 0 && highest > total
}

// lastPart is the total that a last part has.
func (c partCall) lastPart() int {
	if c.last {
		return c.n
	}
	return 0
}

// fixed reports whether the call sends a part 1 that it must not replace.
func (c partCall) fixed(u *upload) bool {
	return u != nil && c.n == 1 && c.by.nobody() && !c.token
}

// accepted keeps the part in the model, and compares what came of it.
func (m *machine) accepted(t *rapid.T, c partCall, u *upload, out partAnswer, err error) {
	if u == nil {
		u = &upload{
			key: uploadKey(c.by, c.op, c.id), owner: uploadOwner(c.by), parts: map[int]string{},
			expires: m.now.Add(24 * time.Hour),
		}
		m.uploads[u.key] = u
	}
	fixed := c.n == 1 && u.parts[1] != "" && c.fixed(u)
	u.total = max(u.total, c.total, c.lastPart())
	if c.n > 0 && !fixed {
		u.parts[c.n] = c.text
	}
	if c.n == 1 && !fixed {
		u.first = c
	}
	if !u.complete() {
		m.happened(t, "part", err, nil)
		m.checkPending(t, u, out.pending)
		return
	}
	if m.happened(t, "completing part", err, m.refusedWhole(u)) {
		m.completed(t, c, u, out)
	}
}

// refusedWhole returns the reason for which the file of the parts is refused, if so. The
// upload stays open then.
func (m *machine) refusedWhole(u *upload) (why []sandlot.Code) {
	text := u.joined()
	if len(text) > maxFile {
		why = append(why, sandlot.CodeContentTooLarge)
	}
	if u.first.op == sandlot.OpPublish && m.full(u.first.by) {
		why = append(why, sandlot.CodeQuotaExceeded)
	}
	if u.first.op == sandlot.OpPublish {
		return append(why, refusedContent(primary, text)...)
	}
	return append(why, refusedPut(u.first.project, u.first.filename, text, u.first.ifVersion)...)
}

func (m *machine) checkPending(t *rapid.T, u *upload, got *publish.Pending) {
	if got == nil {
		t.Fatal("an upload that lacks parts was completed")
	}
	want := &publish.Pending{
		UploadID: got.UploadID, Total: u.total, Received: slices.Sorted(maps.Keys(u.parts)), Missing: []int{},
		ExpiresAt: got.ExpiresAt, Warnings: got.Warnings,
	}
	if u.first.by.nobody() {
		if u.token == "" {
			u.token = got.Token
		}
		if want.Token = u.token; u.token == "" {
			t.Fatal("no upload_token")
		}
	}
	for n := 1; n <= max(u.total, slices.Max(want.Received)); n++ {
		if _, there := u.parts[n]; !there {
			want.Missing = append(want.Missing, n)
		}
	}
	want.ReceivedCount, want.MissingCount = len(want.Received), len(want.Missing)
	if diff := cmp.Diff(want, got); diff != "" || !got.ExpiresAt.Equal(u.expires) {
		t.Fatalf("pending (-want +got), expires %v, want %v:\n%s", got.ExpiresAt, u.expires, diff)
	}
}

// completed records what an upload brought.
func (m *machine) completed(t *rapid.T, c partCall, u *upload, out partAnswer) {
	if out.pending != nil {
		t.Fatalf("an upload with all parts is pending: %+v", out.pending)
	}
	switch first := u.first; {
	case first.op == sandlot.OpPublish:
		u.project = m.completedPublish(t, c, u, out.published)
	default:
		u.project = first.project
		m.updated(t, u.project, out.updated, first.filename, u.joined(), nil)
	}
	u.version, u.last, u.expires = len(u.project.versions), c, m.now.Add(24*time.Hour)
}

// completedPublish records the project of an upload.
func (m *machine) completedPublish(t *rapid.T, c partCall, u *upload, out publish.Published) *project {
	owner := c.by.account
	if c.by.nobody() {
		owner = m.newAccount(t, *out.Account, out.Keys.Account, u.first.email)
		m.accounts = append(m.accounts, owner)
	}
	name, page := u.first.title, u.joined()
	if name == "" {
		name = title(page)
	}
	return m.published(t, owner, out, project{title: name}, version{files: m.files(map[string]string{primary: page})})
}

// replayed compares the answer to a call of an upload that is complete: the
// completing part again yields the first answer, and any other call is refused with that.
func (m *machine) replayed(t *rapid.T, c partCall, u *upload, out partAnswer, err error) {
	if !m.has(u.project.owner) {
		m.happened(t, "call of an upload whose project is gone", err, []sandlot.Code{sandlot.CodeProjectNotFound})
		return
	}
	same := c.n == u.last.n && c.text == u.last.text && c.by.key() == u.last.by.key()
	if c.by.nobody() && !c.token && c.n == 0 {
		same = false
	}
	if c.op == sandlot.OpUpdate {
		same = c.n == u.last.n && c.text == u.last.text
	}
	if !same {
		m.happened(t, "call of a completed upload", err, []sandlot.Code{sandlot.CodeUploadCompleted})
		return
	}
	m.happened(t, "completing part again", err, nil)
	v := u.project.versions[u.version-1]
	got := out.updated.Project
	if c.op == sandlot.OpPublish {
		got = out.published.Project
		if out.published.Keys.Project != u.project.key || out.published.Keys.Account != u.project.owner.key {
			t.Fatal("the completing part again yields other keys")
		}
	}
	if got.ID != u.project.id || got.Version != u.version || got.Suffix != v.suffix || !v.erased &&
		(got.Size != v.size() || got.FileCount != len(v.files)) {
		t.Fatalf("the completing part again yields %+v, want version %d of %s", got, u.version, u.project.id)
	}
}
