package decision

import "strings"

// fastLine reads a line that is written as Append writes it, with no escape in its
// strings, which nearly all are. Of any other line it says nothing: Parse then
// reads it with care. The line must be UTF-8.
func fastLine(line string) (e Event, ok bool) {
	c := cursor{rest: line, ok: true}
	c.want(`{"v":1,"t":`)
	e.Time = c.text()
	c.want(`,"p":`)
	e.Project = c.text()
	c.want(`,"e":`)
	e.Op = Op(c.text())
	c.want(`,"i":`)
	e.ID = c.text()
	c.want(`,"d":{`)
	c.data(&e.Data)
	if c.has(`,"u":`) {
		e.Actor = c.text()
	}
	if c.has(`,"k":`) {
		e.Key = c.text()
	}
	if c.has(`,"by":`) {
		e.By = c.text()
	}
	if c.has(`,"x":`) {
		e.Seen = c.texts()
	}
	c.want("}")
	return e, c.ok && c.rest == ""
}

// cursor is a place in a line. After the first thing that is not as wanted it is
// not ok, and reads nothing.
type cursor struct {
	rest  string
	ok    bool
	first bool // no member of the object was read yet
}

// want reads a text that must be there.
func (c *cursor) want(text string) {
	if !c.has(text) {
		c.ok = false
	}
}

// has reads a text when it is there.
func (c *cursor) has(text string) bool {
	rest, found := strings.CutPrefix(c.rest, text)
	if c.ok && found {
		c.rest = rest
	}
	return c.ok && found
}

// text reads a string.
func (c *cursor) text() string {
	c.want(`"`)
	for i := 0; c.ok && i < len(c.rest); i++ {
		switch b := c.rest[i]; {
		case b == '"':
			s := c.rest[:i]
			c.rest = c.rest[i+1:]
			return s
		case b == '\\', b < 0x20:
			c.ok = false
		}
	}
	c.ok = false
	return ""
}

// texts reads a list of strings.
func (c *cursor) texts() []string {
	c.want("[")
	var out []string
	for c.ok && !c.has("]") {
		if len(out) > 0 {
			c.want(",")
		}
		out = append(out, c.text())
	}
	return out
}

// member reads the name of a member of an object when it is the next.
func (c *cursor) member(name string) bool {
	if c.first {
		if c.has(name) {
			c.first = false
			return true
		}
		return false
	}
	if rest, found := strings.CutPrefix(c.rest, ","); c.ok && found && strings.HasPrefix(rest, name) {
		c.rest = rest[len(name):]
		return true
	}
	return false
}

// data reads the members of d and its end.
func (c *cursor) data(d *Data) {
	c.first = true
	c.optional(`"ti":`, &d.Title)
	c.optional(`"tx":`, &d.Text)
	c.list(`"tg":`, &d.Tags)
	if c.member(`"s":`) {
		d.Status = ptr(Status(c.text()))
	}
	c.optional(`"r":`, &d.Reason)
	if c.member(`"sp":`) {
		d.Supersedes = new(string)
		if !c.has("null") {
			*d.Supersedes = c.text()
		}
	}
	c.list(`"c":`, &d.Conflicts)
	c.list(`"pa":`, &d.Paths)
	c.optional(`"rv":`, &d.Review)
	c.optional(`"n":`, &d.Note)
	c.optional(`"nx":`, &d.Next)
	c.want("}")
}

func (c *cursor) optional(name string, into **string) {
	if c.member(name) {
		*into = ptr(c.text())
	}
}

func (c *cursor) list(name string, into **[]string) {
	if c.member(name) {
		list := c.texts()
		if list == nil {
			list = []string{}
		}
		*into = &list
	}
}
