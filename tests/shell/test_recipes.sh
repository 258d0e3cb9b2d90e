#!/bin/sh
# The recipes of other packagers, containers and CI, each by its own linter where that is here.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

version=$(sed -n 's/^VERSION *:= *//p' Makefile)

# has_tool NAME WHAT COMMAND...: reports a skip if the command fails.
has_tool() {
    tool=$1 what=$2
    shift 2
    "$@" >"$work/null" 2>&1 && return
    skip "$what" "$tool is not here"
    return 1
}

# reads_yaml FILE...: with the expressions of GitHub's templates as words.
reads_yaml() {
    python3 - "$@" <<'END'
import re, sys, yaml
for name in sys.argv[1:]:
    text = re.sub(r"\$\{\{.*?\}\}", "word", open(name).read())
    found = yaml.safe_load(text)
    assert isinstance(found, dict) and len(found) > 2, name
END
}

# render_conda: the name, version and needs of the package that rattler-build would build by conda's recipe.
render_conda() {
    BANKSHOT_ARCHIVE=file:///bankshot.tar.gz BANKSHOT_SHA256=$(printf %064d 0) python3 - <<'END'
from rattler_build import Stage0Recipe, VariantConfig
variants = VariantConfig({"c_compiler": ["gcc"], "c_stdlib": ["sysroot"], "target_platform": ["linux-64"]})
for rendered in Stage0Recipe.from_file("packaging/conda/recipe.yaml").render(variants):
    recipe = rendered.recipe.to_dict()
    needs = recipe["requirements"]
    print(*recipe["package"].values(), *needs["build"], *needs["host"], *needs["run"], len(recipe["tests"]))
END
}

# scripts_of_workflows: the scripts and goals that the workflows call.
scripts_of_workflows() {
    sed -n 's/^ *- run: sh \([^ ]*\).*/\1/p' .github/workflows/*.yml | sort -u
}

# load_module: what the modulefile does for version 0.2.0, a line each.
load_module() {
    BANKSHOT_ROOT=/apps tclsh <<'END'
foreach command {module-whatis conflict prepend-path} { proc $command args "puts \[list $command {*}\$args\]" }
proc module-info args { return bankshot/0.2.0 }
source packaging/modulefiles/bankshot
END
}

is "the recipe for Spack has the version" "$(sed -n 's/^ *version("\(.*\)").*/\1/p' packaging/spack/package.py)" "$version"
is "the recipe for conda has the version" "$(sed -n 's/^  version: "\(.*\)"/\1/p' packaging/conda/recipe.yaml)" "$version"
is "Spack's variants leave out what they say" \
    "$(make -n BUILD="$work/build" HAVE_MPI= HAVE_SIM= HAVE_JANSSON= 2>"$work/null" | grep -Ec -e '-lffi|-ldw|-ljansson|-lmpi|-DHAVE_SIM|-DHAVE_JANSSON')" 0
if has_tool "Python's yaml" "YAML of recipes and workflows is read" python3 -c 'import yaml'; then
    check "YAML of recipes and workflows is read" reads_yaml packaging/conda/recipe.yaml .github/workflows/*.yml .github/ISSUE_TEMPLATE/*.yml CITATION.cff
fi
if has_tool rattler-build "conda's recipe is rendered" python3 -c 'import rattler_build'; then
    is "conda's recipe is rendered" "$(render_conda 2>&1)" \
        "bankshot $version gcc_linux-64 sysroot_linux-64 make gawk elfutils libffi jansson _openmp_mutex gawk gnuplot 1"
fi
for script in $(scripts_of_workflows); do
    check "a workflow's $script is there" [ -f "$script" ]
done
for goal in $(sed -n 's/^ *- run: make -j[0-9]* //p' .github/workflows/*.yml); do
    check "a workflow's make $goal is a goal" grep -q "^$goal:.* ## " Makefile
done
if has_tool python3 "Python of the recipes is compiled" python3 -c ''; then
    check "Python of the recipes is compiled" python3 -c 'import sys; [compile(open(n).read(), n, "exec") for n in sys.argv[1:]]' \
        packaging/wheel.py packaging/spack/package.py
fi
if has_tool flake8 "flake8" python3 -m flake8 --version; then
    # Spack's style: its package module is imported whole.
    check flake8 python3 -m flake8 --max-line-length 140 --extend-ignore F403,F405 packaging
fi
if has_tool hadolint "hadolint" hadolint --version; then
    check hadolint hadolint packaging/container/Dockerfile
fi
if has_tool tclsh "the modulefile is read" sh -c 'echo exit | tclsh'; then
    is "the modulefile sets paths below its root" "$(load_module | grep prepend-path | tr '\n' ';')" \
        "prepend-path PATH /apps/0.2.0/bin;prepend-path MANPATH /apps/0.2.0/share/man;prepend-path XDG_DATA_DIRS /apps/0.2.0/share;"
fi
if has_tool apptainer "Apptainer's definition is built" apptainer --version && everything; then
    check "Apptainer's definition is built" apptainer build "$work/bankshot.sif" packaging/container/bankshot.def
fi
is "no container has CUDA in it" "$(grep -il '^FROM.*\(cuda\|rocm\)' packaging/container/*)" ""
finish
