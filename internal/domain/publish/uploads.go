package publish

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"net/netip"
	"time"

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/base/worker"
	"sandlot/internal/format/names"
)

const (
	waitForUpload = 30 * time.Second // for another call that completes the same upload
	assemblyLimit = 10 * time.Minute // a 1 GiB file at 2 MB/s, the slowest disk worth waiting for
	// uploadTries bounds the tries of a call because another process was faster with its upload, each after a pause
	// that may be one uploadPause longer: some 12 s in all.
	uploadTries, uploadPause = 50, 10 * time.Millisecond
)

// uploads takes the calls of chunked publishes and updates. It keeps the parts of an upload until all have come, then
// assembles the file and has it used once. It may be used concurrently.
type uploads struct {
	store        Store
	contents     *Contents
	vault        *sandlot.Vault
	now          func() time.Time
	locks        *turns.Locks[sandlot.Digest] // of uploads: calls of one upload take turns in this process
	maxFile      int64                        // bytes of an assembled file
	most         int                          // open uploads of one owner
	networkBytes int64                        // of the open uploads of one network without a key; 0: no limit
	quota        Quota                        // of an account
}

// partOf takes a call of an upload and, if the upload has all its parts then, uses it. Calls of one upload take turns
// in this process, and the store guards against others, so it is used exactly once; once begun, using it does not stop
// when the client goes away. If another process was faster, partOf looks the upload up again: the body of the call has
// come, and the client need not send it twice.
func (up *uploads) partOf(ctx context.Context, call *partCall, use func(context.Context, *completing) error) (*Pending, error) {
	if err := up.checkPart(call.in, call.content); err != nil {
		return nil, err
	}
	call.key = up.uploadKey(call)
	wait, cancel := context.WithTimeout(ctx, waitForUpload)
	defer cancel()
	unlock, err := up.locks.Lock(wait, call.key)
	if err != nil {
		return nil, inProgress(ctx, err)
	}
	defer unlock()
	done, pending, err := up.acceptAgain(ctx, call)
	for try := 1; err == nil && done != nil; try++ {
		if err = complete(ctx, done, use); !errors.Is(err, sandlot.ErrUploadMoved) {
			break
		}
		if try == uploadTries {
			return nil, changedMeanwhile()
		}
		done, err = up.movedMeanwhile(ctx, call)
	}
	return pending, err
}

// acceptAgain repeats accept while other processes accept parts of the upload at the same time.
func (up *uploads) acceptAgain(ctx context.Context, call *partCall) (done *completing, pending *Pending, err error) {
	for try := 1; ; try++ {
		done, pending, err = up.accept(ctx, call)
		if !errors.Is(err, sandlot.ErrUploadMoved) {
			return done, pending, err
		}
		if try == uploadTries {
			return nil, nil, changedMeanwhile()
		}
		if !worker.Wait(ctx, time.Duration(up.vault.Intn(try))*uploadPause) {
			return nil, nil, ctx.Err()
		}
	}
}

// movedMeanwhile looks up an upload, of which the call's part was accepted, after it changed before its use: another
// process completed it or replaced a part, or it expired.
func (up *uploads) movedMeanwhile(ctx context.Context, call *partCall) (*completing, error) {
	u, err := up.store.Upload(ctx, call.key, call.number(), up.now().UTC())
	switch {
	case errors.Is(err, sandlot.ErrNotFound), err == nil && u.Done == nil && !u.complete(): // the latter began anew
		return nil, sandlot.Refuse(sandlot.CodePart1First,
			"The upload expired while its parts were being put together. Nothing was made of it.").In("part").
			With(sandlot.OpSame, sandlot.Set("part", 1)).
			Note("An unfinished upload is kept for 24 hours. Begin it anew: " +
				"send part 1 with the metadata, then the others.")
	case err != nil:
		return nil, fmt.Errorf("read upload: %w", err)
	}
	done, _, err := newCompleting(call, u)
	return done, err
}

// changedMeanwhile refuses a call whose upload others changed again and again.
func changedMeanwhile() error {
	return sandlot.Refuse(sandlot.CodeRequestInProgress,
		"Other calls changed this upload again and again while its parts were being put together. "+
			"Nothing was made of it.").
		With(sandlot.OpWait).After(time.Second).Note("Send the same part again.")
}

// inProgress refuses a call that waited too long for another one of its upload. A client that went away gets the error
// of its context.
func inProgress(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return sandlot.Refuse(sandlot.CodeRequestInProgress, "This upload is being completed by another call.").
		With(sandlot.OpWait).After(waitForUpload / 3).
		Note("Send the same part again: once the upload is complete, the answer names the project.")
}

// uploadKey returns the key under which the call's upload is kept. An upload_id may be guessed, however long it is:
// without a key it belongs to the sender's network, and if strangers share that, to the upload_token alone.
func (up *uploads) uploadKey(call *partCall) sandlot.Digest {
	owner := ""
	switch by := call.by; {
	case by.Upload() != nil:
		return *by.Upload()
	case !by.Nobody():
		owner = fmt.Sprintf("account %d", by.Account())
	case by.From.Shared:
		owner = "token " + names.Random(26, up.vault.Intn)
	default:
		owner = "network " + by.From.Network
	}
	return up.vault.Keyed("upload", string(call.op)+"\x00"+owner+"\x00"+call.in.UploadID)
}

// owner returns the digest under which a caller's open uploads are limited.
func (up *uploads) owner(by sandlot.Caller) sandlot.Digest {
	if by.Nobody() {
		return up.vault.Keyed("uploads of", "network "+by.From.Network)
	}
	return up.vault.Keyed("uploads of", fmt.Sprintf("account %d", by.Account()))
}

// wider returns the networks around a caller's own if the caller has no key: one customer may have all of each.
func (up *uploads) wider(by sandlot.Caller) (of [2]sandlot.Digest) {
	at, err := netip.ParseAddr(by.From.Network)
	if !by.Nobody() || by.From.Shared || err != nil {
		return of
	}
	for i, n := range Networks(at)[1:] {
		of[i] = up.vault.Keyed("uploads of", "network "+n.Prefix.String())
	}
	return of
}

// accept takes a call of an upload. It returns the completing upload if all its parts have come, with the lock on it
// still held; or the missing parts.
func (up *uploads) accept(ctx context.Context, call *partCall) (done *completing, pending *Pending, err error) {
	u, err := up.store.Upload(ctx, call.key, call.number(), up.now().UTC())
	fresh := errors.Is(err, sandlot.ErrNotFound)
	if err != nil && !fresh {
		return nil, nil, fmt.Errorf("read upload: %w", err)
	}
	if fresh {
		if u, err = up.newUpload(call); err != nil {
			return nil, nil, err
		}
	}
	if err := mayJoin(call, u); err != nil {
		return nil, nil, err
	}
	if !fresh {
		if err := up.readToken(call, u); err != nil {
			return nil, nil, err
		}
	}
	if u.Done != nil {
		return newCompleting(call, u)
	}
	if err := up.checkAgainstUpload(call, u, fresh); err != nil {
		return nil, nil, err
	}
	if u, err = up.savePart(ctx, call, u, fresh); err != nil {
		return nil, nil, err
	}
	if !u.complete() {
		return nil, u.pending(call), nil
	}
	return newCompleting(call, u)
}

// newUpload begins an upload with its part 1.
func (up *uploads) newUpload(call *partCall) (Upload, error) {
	if !call.in.first() || call.by.Upload() != nil {
		return Upload{}, part1First(call)
	}
	u := Upload{
		Key: call.key, Owner: up.owner(call.by), Wider: up.wider(call.by), Account: call.by.Account(),
		ExpiresAt: up.now().UTC().Add(UploadLife),
	}
	return u, up.giveToken(call, &u)
}

// checkAgainstUpload refuses a call that contradicts its upload.
func (up *uploads) checkAgainstUpload(call *partCall, u Upload, fresh bool) error {
	if err := up.checkTotal(call, u); err != nil {
		return err
	}
	if call.fixed(fresh) && !u.has(call) {
		return sandlot.Refuse(sandlot.CodeUploadExists,
			"An upload with this upload_id is in progress; "+
				"without a key or its upload_token its part 1 can't be replaced.").In("upload_id").
			With(sandlot.OpSame, up.beginning()...).
			Note("Choose another upload_id. If the upload is yours, send the upload_token of an earlier answer in place of a key.")
	}
	if size := u.sizeWith(call); size > up.partsLimit() {
		return sandlot.Refuse(sandlot.CodeContentTooLarge,
			"The parts of this upload would have %d bytes together; the limit is %d.", size, up.maxFile).
			In("content").
			Detail("limit", up.maxFile).With(sandlot.OpNothing).Note("Make the file smaller, or split it into several files.")
	}
	return nil
}

// partsLimit bounds the parts as they were sent: packed content may be a little larger than its file.
func (up *uploads) partsLimit() int64 { return up.maxFile + up.maxFile/1024 + 1<<20 }

// savePart records the part, the total if the call has it, and the fields of part 1. A call without news changes
// nothing, or it would disturb the process that assembles the parts.
func (up *uploads) savePart(ctx context.Context, call *partCall, u Upload, fresh bool) (Upload, error) {
	var err error
	old := u
	if u.Meta, err = mergeMeta(u.Meta, call, !call.fixed(fresh)); err != nil {
		return u, err
	}
	if call.in.Total != nil {
		u.Total = *call.in.Total
	}
	if call.in.Last {
		u.Total = *call.in.N
	}
	part := call.newPart(&u)
	if !fresh && part == nil && u.Total == old.Total && bytes.Equal(u.Meta, old.Meta) {
		return u, nil
	}
	u.Generation, err = up.store.SaveUpload(ctx, u, part, up.uploadQuota(call.by))
	if err != nil {
		return u, fmt.Errorf("save part: %w", up.overUploads(call.by, err))
	}
	return u, nil
}

// firstSaid returns the fields of part 1 of the call's upload, which are kept as long as the answer.
func (up *uploads) firstSaid(ctx context.Context, call *partCall) (m uploadMeta, err error) {
	u, err := up.store.Upload(ctx, up.uploadKey(call), 0, up.now().UTC())
	if errors.Is(err, sandlot.ErrNotFound) {
		return m, nil
	}
	if err != nil {
		return m, fmt.Errorf("read upload: %w", err)
	}
	if err := mayJoin(call, u); err != nil {
		return m, err
	}
	return u.said()
}

// uploadQuota bounds the uploads of a caller.
func (up *uploads) uploadQuota(by sandlot.Caller) UploadQuota {
	q := UploadQuota{Uploads: up.most}
	switch {
	case !by.Nobody():
		q.Account = up.quota.Bytes
	case !by.From.Free:
		q.Bytes = up.networkBytes
		q.Wider = [2]int64{int64(widerShares[0]), int64(widerShares[1])}
	}
	return q
}

// overUploads explains which limit a call's uploads exceed.
func (up *uploads) overUploads(by sandlot.Caller, err error) error {
	var e *sandlot.Error
	switch {
	case errors.Is(err, sandlot.ErrTooManyUploads):
		e = sandlot.Refuse(sandlot.CodeQuotaExceeded, "There are %d unfinished uploads already, which is the limit.",
			up.most).In("upload_id").
			With(sandlot.OpWait).Note("Finish some; what is unfinished expires after 24 hours.")
	case errors.Is(err, sandlot.ErrTooManyBytes) && by.Nobody():
		e = sandlot.Refuse(sandlot.CodeQuotaExceeded,
			"The unfinished uploads of this network would hold more than %d bytes, which is the limit without a key.",
			up.networkBytes).
			Detail("limit", up.networkBytes).With(sandlot.OpWait).
			Note("Finish some, wait until they expire after 24 hours, or use the api_key of an account.")
	default:
		return up.quota.exceeded(err)
	}
	return e.Because(err).After(time.Hour)
}

// Upload is one chunked publish or update that has accepted its part 1. It lives for
// UploadLife, and then its parts are collected.
type Upload struct {
	Key        sandlot.Digest    // of the namespace and the client's upload_id
	Token      sandlot.Digest    // of the upload_token; zero for none
	Owner      sandlot.Digest    // of the account or the sender's network, for the limits of open uploads
	Wider      [2]sandlot.Digest // of the networks around that of the sender, without a key; zero for none
	Account    sandlot.AccountID // whose key sent part 1; 0 without a key
	Meta       []byte            // the fields of part 1, as the Service wrote them; opaque to a store
	Total      int               // 0 while unknown
	Generation int64             // grows with every accepted change
	Received   Numbers           // the parts that have come
	Bytes      int64             // of these parts
	Held       int64             // of all parts that were sent, also of replaced ones
	Parts      []Part            // the parts that the query selected
	ExpiresAt  time.Time
	Done       *UploadDone // set once it completed
}

// Part is one piece of an upload. Its bytes never change: a repeated part is another blob.
type Part struct {
	N    int // 1 to 10,000
	Blob sandlot.Blob
}

// UploadDone stays of a completed upload for UploadLife, so that a repeat of the completing call can be answered.
type UploadDone struct {
	Project sandlot.ProjectID
	Version int
	Part    int            // the number of the completing part, 0 if a total completed it
	SHA256  sandlot.Digest // of the completing part's bytes, or zero
	Answer  []byte         // the minted keys, sealed
	Made    []byte         // the fields of the version in the answer, as the Service wrote them
}

// said returns the fields of part 1, zero before part 1.
func (u Upload) said() (m uploadMeta, err error) {
	if len(u.Meta) == 0 {
		return m, nil
	}
	if err := json.Unmarshal(u.Meta, &m); err != nil {
		return m, fmt.Errorf("read the fields of part 1: %w", err)
	}
	return m, nil
}

// complete reports whether all parts have come.
func (u Upload) complete() bool { return u.Total != 0 && u.Received.Count() == u.Total }

// sizeWith returns the size of the parts with the call's part in place. u has the part of its number, if there is one.
func (u Upload) sizeWith(call *partCall) int64 {
	n := u.Bytes + call.content.Size
	for _, p := range u.Parts {
		n -= p.Blob.Size
	}
	return n
}

// has reports whether the call's part has been accepted with the same bytes.
func (u Upload) has(call *partCall) bool {
	return len(u.Parts) > 0 && u.Parts[0].N == call.number() && u.Parts[0].Blob.SHA256 == call.content.SHA256
}

// listed bounds the numbers in an answer: enough to go on with, and few compared with the part that was sent.
const listed = 100

// pending lists the received and the missing parts.
func (u Upload) pending(call *partCall) *Pending {
	last, came := max(u.Total, u.Received.Highest()), u.Received.Count()
	return &Pending{
		UploadID: call.in.UploadID, Token: call.token, Total: u.Total, ExpiresAt: u.ExpiresAt,
		Received: u.Received.first(true, last, listed), ReceivedCount: came,
		Missing: u.Received.first(false, last, listed), MissingCount: last - came,
	}
}

// UploadQuota bounds the open uploads, which are neither completed nor expired. A zero is no bound.
type UploadQuota struct {
	Uploads int      // of one owner
	Bytes   int64    // Held by all uploads of one owner
	Wider   [2]int64 // the multiples of Bytes that the Wider networks may have
	Account int64    // of the whole account, as in Quota
}

// Numbers is a set of part numbers, one bit each: 1,250 bytes for MaxParts. Queries of an upload cost the same however
// many parts have come. It never changes.
type Numbers []byte

// Has reports whether n is in the set.
func (s Numbers) Has(n int) bool { return n > 0 && n/8 < len(s) && s[n/8]>>(n%8)&1 == 1 }

// With returns the set with n, which is 1 or more.
func (s Numbers) With(n int) Numbers {
	next := make(Numbers, max(len(s), n/8+1))
	copy(next, s)
	next[n/8] |= 1 << (n % 8)
	return next
}

// Count returns the size of the set.
func (s Numbers) Count() (n int) {
	for _, b := range s {
		n += bits.OnesCount8(b)
	}
	return n
}

// Highest returns the highest number, 0 if the set is empty.
func (s Numbers) Highest() int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] != 0 {
			return i*8 + bits.Len8(s[i]) - 1
		}
	}
	return 0
}

// first lists the lowest numbers up to last that are in the set, or that are not; at most limit.
func (s Numbers) first(in bool, last, limit int) []int {
	list := []int{}
	for n := 1; n <= last && len(list) < limit; n++ {
		if s.Has(n) == in {
			list = append(list, n)
		}
	}
	return list
}
