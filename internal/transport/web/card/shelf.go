package card

import (
	"github.com/go-text/typesetting/font"
)

// MostKept is the useful size of the font cache in bytes: room for the East Asian font, of 20 MB, and some others.
const MostKept = 24 << 20

// A shelf caches fonts while their files add up to at most most bytes. A larger font is opened again for each card.
type shelf struct {
	most, bytes int64
	kept        map[[2]string]*font.Face // by name and family
}

// get returns a font, from the shelf or from its file. Where a font has no room, it takes the place of all others.
func (s *shelf) get(fonts Fonts, name, family string) (*font.Face, error) {
	key := [2]string{name, family}
	if face := s.kept[key]; face != nil {
		return face, nil
	}
	face, bytes, err := fonts.open(name, family)
	if err != nil || bytes > s.most {
		return face, err
	}
	if s.bytes += bytes; s.bytes > s.most || s.kept == nil {
		s.bytes, s.kept = bytes, map[[2]string]*font.Face{}
	}
	s.kept[key] = face
	return face, nil
}
