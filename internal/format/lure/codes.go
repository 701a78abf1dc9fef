package lure

import (
	"bytes"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"strings"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
	_ "golang.org/x/image/webp"

	"sandlot/internal/format/mediatype"
)

// Bounds of a picture in which a QR code is looked for.
const (
	mostPicture = 1 << 20 // bytes
	mostPixels  = 2 << 20
)

// Scans reports whether a picture may have a QR code that leads elsewhere: the files that were read are nothing but a page of
// pictures, and the picture is not too large.
func (l *Look) Scans(name string, size int64) bool {
	return len(l.found) == 0 && l.alone() && size <= mostPicture && strings.HasPrefix(mediatype.Of(name, false), "image/")
}

// Scan looks for a QR code with an address elsewhere in a picture. It reads none of more than mostPixels.
func (l *Look) Scan(name string, picture []byte) {
	size, _, err := image.DecodeConfig(bytes.NewReader(picture))
	if err != nil || size.Width*size.Height > mostPixels {
		return
	}
	drawn, _, err := image.Decode(bytes.NewReader(picture))
	if err != nil {
		return
	}
	bits, err := gozxing.NewBinaryBitmapFromImage(drawn)
	if err != nil {
		return
	}
	code, err := qrcode.NewQRCodeReader().Decode(bits, map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_TRY_HARDER: true})
	if err == nil && l.elsewhere("", code.GetText()) {
		l.current = name
		l.leads()
	}
}
