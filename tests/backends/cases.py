"""The programs that code for other libraries is tested with: a file, the options that `tacet run` and
`tacet emit` share, and those of compiling for encryption."""

FORMS = "tests/backends/programs/forms.tacet"
SCHEDULES = "tests/schedule/programs"


def ranges(**of):
    return [word for name, range_ in of.items() for word in ("--range", f"{name}={range_}")]


def form(name, *options):
    return (FORMS, ["--fn", name], list(options))


CASES = [
    form("sum_and_product"),
    form("wide"),
    form("scaled", "--scheme", "bfv"),
    form("scaled", "--scheme", "bgv"),
    form("parity"),
    form("matrix_product"),
    form("around"),
    form("around", "--sums", "server"),
    form("wraps"),
    form("power"),
    form("power", "--scheme", "bfv"),
    form("joined", "--scheme", "bfv"),
    form("joined", "--scheme", "bgv"),
    form("affine"),
    form("weighted"),
    form("moments"),
    ("examples/distance.tlhe", [], ranges(points="0..256", here="0..256")),
    ("examples/weighted_windows.tacet",
     ["--fn", "windows_he", "--size", "n=6", "--size", "k=3"], []),
    ("examples/encrypted/matrix_vector.tacet", [], []),
    ("examples/encrypted/moving_average.tacet", [], []),
    ("examples/encrypted/polynomial.tacet", [], []),
    ("examples/encrypted/risk.tacet", [], []),
    ("examples/encrypted/noisy_average.tacet", ["--seed", "2a"], []),
    (f"{SCHEDULES}/conv_siso.tlhe", [], ranges(image="0..16", filter="-4..5")),
    (f"{SCHEDULES}/conv_simo.tlhe", [], ranges(image="0..16", filter="-4..5")),
    (f"{SCHEDULES}/distance_64.tlhe", [], ranges(point="0..16", tests="0..16")),
    (f"{SCHEDULES}/double_matmul.tlhe", [], ranges(a1="-2..3", a2="-2..3", b="-2..3")),
    (f"{SCHEDULES}/retrieval_256.tlhe", [],
     ranges(keys="0..2", values="0..100", query="0..2")),
    (f"{SCHEDULES}/set_union_16.tlhe", [],
     ranges(a_id="0..2", a_data="0..50", b_id="0..2", b_data="0..50")),
]


def is_slow(case):
    """Whether a run takes seconds by a library without vector instructions."""
    return any(name in case[0] for name in ("risk", "retrieval", "set_union"))
