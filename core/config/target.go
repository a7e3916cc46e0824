package config

// Target is the file in which a change of a key takes effect.
type Target struct {
	// Kind is User or Project.
	Kind Kind
	// Path is the path the file's layer was handed with, empty when it was not.
	Path string
	// Blocked holds what still decides over the file after it is written: a
	// flag, an environment variable, or a project's file that switches off what
	// this file would switch on.
	Blocked []Origin
}

// Target returns the file a `set` of the key must write: the pictx.toml of the
// side (user or project) that decides the key now, apart from flags and the
// environment; else the user's. A settings.json belongs to pi, so the
// pictx.toml beside it, which wins over it, is the target. The error is an
// *UnknownKeyError.
func (r *Resolved) Target(key string) (Target, error) {
	s, err := lookup(key)
	if err != nil {
		return Target{}, err
	}
	decided := r.decideFiles(s)
	target := Target{Kind: User, Blocked: r.blocked(s, decided)}
	if decided.origin.Kind.project() {
		target.Kind = Project
	}
	target.Path = r.paths[target.Kind]
	return target, nil
}

// decideFiles returns the claim that wins without the environment and flags.
func (r *Resolved) decideFiles(s spec) claim {
	files := *r
	files.claims = map[string][]claim{s.Name: r.fileClaims(s)}
	return files.decide(s)
}

// fileClaims returns the claims of a key's default and of files.
func (r *Resolved) fileClaims(s spec) []claim {
	var claims []claim
	for _, c := range r.claims[s.Name] {
		if c.origin.Kind <= Project {
			claims = append(claims, c)
		}
	}
	return claims
}

// blocked returns what decides over the file that decides among files.
func (r *Resolved) blocked(s spec, decided claim) []Origin {
	var origins []Origin
	files := r.fileClaims(s)
	last := files[len(files)-1]
	if s.both && !decided.origin.Kind.project() && last.origin.Kind.project() && last.value == false {
		origins = append(origins, last.origin)
	}
	if all := r.claims[s.Name]; len(all) > len(files) {
		origins = append(origins, all[len(all)-1].origin)
	}
	return origins
}
