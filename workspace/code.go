package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/golang"
	"github.com/coctostan/pictx/kota/lang/ts"
	"github.com/coctostan/pictx/kota/mcp"
)

// Languages are those whose code the program indexes. Another one is added here.
func Languages() lang.Set { return lang.NewSet(ts.Language(), golang.Language()) }

// CodeFiles are the files of a project's work tree.
func (pl Place) CodeFiles() index.Files {
	return index.Files{Root: pl.Root, Git: pl.Git != "", Languages: Languages()}
}

// IndexFile is where the index of this project's work tree is.
func (pl Place) IndexFile() string { return pl.cacheFile("kota") }

// cacheFile is where something of this work tree is kept that can be made again.
func (pl Place) cacheFile(kind string) string {
	sum := sha256.Sum256([]byte(pl.Root))
	return filepath.Join(pl.AgentDir, "pictx", hex.EncodeToString(sum[:8])+"."+kind)
}

// IndexOptions say where the project and its index are.
func (pl Place) IndexOptions() index.Options {
	return index.Options{Root: pl.Root, File: pl.IndexFile(), Git: pl.Git != "", Languages: Languages(), Now: time.Now}
}

// CodeEngine is an engine that knows its files by the names people give them.
type CodeEngine interface {
	kota.Engine
	// Find returns the path of the first of these names that is a file of the index.
	// The error is about the last.
	Find(names ...string) (string, error)
}

// KotaDBDir is where KotaDB's database of this project's work tree is.
func (pl Place) KotaDBDir() string { return strings.TrimSuffix(pl.IndexFile(), ".kota") + ".kotadb" }

// TakeKotaDB takes the project for KotaDB. Whoever does gives it back.
func (a *Workspace) TakeKotaDB(set config.KotaDB, pl Place) (*mcp.Engine, error) {
	e, err := mcp.Open(mcp.Options{
		Root: pl.Root, Dir: pl.KotaDBDir(), Git: pl.Git != "", Languages: Languages(),
		Command: set.Argv(), Guard: []string{a.Env.Self, "kota", "guard", "--"},
		Environ: a.Env.Environ, Version: a.Env.Version,
		Start: seconds(set.StartSeconds), Query: seconds(set.QuerySeconds), Index: seconds(set.IndexSeconds),
	})
	if err != nil {
		return nil, KotaError(err)
	}
	return e, nil
}

func seconds(n int) time.Duration { return time.Duration(max(n, 1)) * time.Second }
