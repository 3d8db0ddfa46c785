"""The text that Prometheus reads, by the rules of its format."""

import re

from dhyan.server.operations.prometheus import Counter, Gauge, Histogram

SAMPLE = re.compile(r'[a-z_]+(\{[a-z_]+="(\\.|[^"\\])*"(,[a-z_]+="(\\.|[^"\\])*")*\})? -?[0-9.e+-]+')


def test_counters_and_gauges():
    requests = Counter("requests_total", "Requests.", ["route", "status"])
    requests.add("/a", "200")
    requests.add("/a", "200")
    requests.add('/"\\\n', "404", amount=3)
    assert requests.text() == (
        "# HELP requests_total Requests.\n# TYPE requests_total counter\n"
        'requests_total{route="/\\"\\\\\\n",status="404"} 3\nrequests_total{route="/a",status="200"} 2\n'
    )
    assert Counter("none_total", "None yet.").text().endswith("none_total 0\n")
    assert Gauge("now", "Now.", lambda: {("x",): 0.5}, ["pack"]).samples() == ['now{pack="x"} 0.5']


def test_a_histogram_counts_what_is_at_most_so_large():
    seconds = Histogram("seconds", "Time.", ["route"], bounds=(0.1, 1))
    for value in (0.05, 0.1, 0.5, 7):
        seconds.observe(value, "/a")
    assert seconds.samples() == [
        'seconds_bucket{route="/a",le="0.1"} 2',
        'seconds_bucket{route="/a",le="1"} 3',
        'seconds_bucket{route="/a",le="+Inf"} 4',
        'seconds_sum{route="/a"} 7.65',
        'seconds_count{route="/a"} 4',
    ]
    assert all(SAMPLE.fullmatch(line) for line in seconds.samples())
