package publish

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"time"

	"sandlot"
)

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
