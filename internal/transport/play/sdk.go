package play

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"sync"

	kbrotli "github.com/andybalholm/brotli"
	kgzip "github.com/klauspost/compress/gzip"
	kzstd "github.com/klauspost/compress/zstd"

	"sandlot"
)

// sdkJS is the script with which games save and keep scores. If the service does not answer, it uses only the storage of the
// browser.
//
//go:embed sdk.js
var sdkJS []byte

// sdkName is the script's name in the service's own folder.
const sdkName = "sdk.js"

// An sdk is the script in its two forms: live calls the service, after the script that reports errors; local does neither,
// for addresses without players. Each form is made on its first use.
type sdk struct{ live, local func() *file }

// newSDK returns the script for a website at an origin. The script takes messages from that origin alone.
func newSDK(site string) sdk {
	form := func(live bool, before []byte) func() *file {
		return sync.OnceValue(func() *file {
			facts, _ := json.Marshal([]any{site, live}) // with < and > escaped; they always encode
			return packedScript(sdkName, append(bare(before), "("+string(bare(sdkJS))+")(..."+string(facts)+");\n"...))
		})
	}
	return sdk{live: form(true, errorsJS), local: form(false, nil)}
}

// notes matches comment lines of a script, and blanks at the beginnings of lines.
var notes = regexp.MustCompile(`(?m)^\s*//.*\n|^\s+`)

// bare returns a script without its notes. No text of our scripts has more than one line.
func bare(script []byte) []byte { return bytes.TrimSuffix(notes.ReplaceAll(script, nil), []byte("\n")) }

// sendSDK answers with the script, in its local form if there is no project, no player or no runtime.
func sendSDK(x *exchange) {
	f := x.sdk.local()
	if x.doors != nil && x.project.ID != "" && x.place != onVersion && !x.trial {
		f = x.sdk.live()
	}
	x.send(f, f.form(x.r.Header), http.StatusOK)
}

// packedScript returns a script as scriptFile does, with its compressed forms.
func packedScript(name string, script []byte) *file {
	f := scriptFile(name, script)
	f.varies = true
	for c := brotli; c < numCodings; c++ {
		b := packed(c, script)
		o := f.makeForm(c, sandlot.Blob{Size: int64(len(b)), SHA256: sha256.Sum256(b)})
		o.body = b
		f.packed = append(f.packed, o)
	}
	return f
}

// packed returns bytes in a coding. Writes to memory do not fail.
func packed(c coding, b []byte) []byte {
	var out bytes.Buffer
	var w io.WriteCloser
	switch c {
	case brotli:
		w = kbrotli.NewWriterLevel(&out, kbrotli.BestCompression)
	case zstd:
		w, _ = kzstd.NewWriter(&out, kzstd.WithEncoderConcurrency(1), kzstd.WithEncoderLevel(kzstd.SpeedBestCompression))
	default:
		w, _ = kgzip.NewWriterLevel(&out, kgzip.BestCompression)
	}
	_, _ = w.Write(b)
	_ = w.Close()
	return out.Bytes()
}
