package tool

// Members calls visit with the name and the value of each member of a JSON
// object, as they stand. It reads a call's arguments once for every plan, so it
// looks for the ends of values only; what is not an object has no members.
func Members(object []byte, visit func(name, value []byte)) {
	i := skipBlank(object, 0)
	if i >= len(object) || object[i] != '{' {
		return
	}
	for i++; ; {
		i = skipBlank(object, i)
		if i < len(object) && object[i] == ',' {
			i = skipBlank(object, i+1)
		}
		if i >= len(object) || object[i] != '"' {
			return
		}
		end := endOfString(object, i)
		colon := skipBlank(object, end)
		if colon >= len(object) || object[colon] != ':' {
			return
		}
		start := skipBlank(object, colon+1)
		stop := endOfValue(object, start)
		if stop <= start {
			return
		}
		visit(object[i:end], object[start:stop])
		i = stop
	}
}

func skipBlank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// endOfString returns the position after the string literal that starts at i.
func endOfString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// endOfValue returns the position after the value that starts at i.
func endOfValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = endOfString(b, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
			i++
			continue
		}
		i++
		if depth == 0 && (b[i-1] == '"' || b[i-1] == '}' || b[i-1] == ']') {
			return i
		}
	}
	return i
}
