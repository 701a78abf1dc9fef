package publish

// checkWhole refuses a file of an update that looks as if it was damaged on its way, such as a list of changes: the version
// before it was good. With nf.Force it is taken.
func checkWhole(c Content, nf newFile) error {
	seems, damaged := c.Damage.Damaged(nf.Filename)
	if !damaged || nf.Force {
		return nil
	}
	return Refuse(CodeLooksDamaged, "The file %s looks like %s. Nothing was changed.", nf.Filename, seems.What).In("content").
		With(OpSame, Arg{"force", true}).Note("%s If it is meant as it is, send it with force: true.", seems.Instead)
}

// checkWhole is the same for many files.
func (s *fileSet) checkWhole(nf newFile) error {
	for _, sent := range s.files {
		if sent.about == nil {
			continue
		}
		f := s.sent(sent)
		nf.Filename = f.Name
		if err := checkWhole(f.Content, nf); err != nil {
			return s.about(f, err)
		}
	}
	return nil
}
