package scan

import (
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// parser reads the tokens of one file.
type parser struct {
	lex.Tokens
	out *lang.Facts
	// clauses are the tokens of import and export clauses, start and end alternating. A name
	// there does not count as a use.
	clauses []int
	common  map[string]bool // names exported as CommonJS does
	// taken are the tokens to which a module or parts of one are assigned: a name, or the {
	// of a pattern.
	taken    map[int]bool
	assigned map[string]bool // variables to which a module is assigned after their declaration
	// top are the names that the file imports or declares at the top level. A variable of a
	// block that has one of these names shadows it.
	top      map[string]bool
	imported map[string]int      // variables to which a require is assigned, with the import's index
	objects  map[string]int      // by name of a top-level variable or Default, the { of the object that it is
	bound    map[string][]string // by name of a top-level variable or type, or of a member, the names that it is and nothing else
	own      map[int]string      // by token, the function of an exported object that is used there through this
	passed   map[int]bool        // by token, the objects and requires whose members the file exports; true for the whole value
	named    int                 // the files that the file names otherwise than in an import
	// isModule is set when the file has an import or export at the top level.
	isModule bool
	// lists is set when the file says in statements of their own what it exports. A declaration
	// file that is a module and does not exports unmarked, its other declarations, too.
	lists    bool
	unmarked []lang.Export
}
