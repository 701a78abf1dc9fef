package picture

import (
	"bytes"
	"encoding/binary"
)

// mostEntries bounds the entries of EXIF that are read.
const mostEntries = 200

// orientationOf finds the orientation of a picture in EXIF, 1 to 8; 0 if there is none. The rest of EXIF, such as the
// place where the picture was taken, is never read.
func orientationOf(exif []byte) int {
	tiff := bytes.TrimPrefix(exif, []byte("Exif\x00\x00"))
	if len(tiff) < 8 {
		return 0
	}
	var order binary.ByteOrder
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 0
	}
	at := int64(order.Uint32(tiff[4:]))
	if at < 8 || at+2 > int64(len(tiff)) {
		return 0
	}
	n := min(int64(order.Uint16(tiff[at:])), mostEntries)
	for i := range n {
		entry := at + 2 + 12*i
		if entry+12 > int64(len(tiff)) {
			return 0
		}
		const orientation, short = 0x0112, 3
		if e := tiff[entry:]; order.Uint16(e) == orientation && order.Uint16(e[2:]) == short {
			if o := int(order.Uint16(e[8:])); o >= 1 && o <= 8 {
				return o
			}
			return 0
		}
	}
	return 0
}
