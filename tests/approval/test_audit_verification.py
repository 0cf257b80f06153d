"""Verification finds what was done to a log, and names the line."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stringd_approval.audit.log_line import Head, digest_of, encode_fields, encode_line, head_after
from stringd_approval.audit.tampering import LinePlace, Tampering
from stringd_approval.audit.verification import ReadLine, Verified, verify

FILE = "audit.jsonl"
KINDS = st.sampled_from(["arrival", "verdict", "decision", "start", "end"])
FIELDS = st.dictionaries(st.sampled_from(["id", "by", "comment"]), st.text(max_size=8), max_size=3)
RECORDS = st.lists(st.tuples(KINDS, FIELDS), min_size=3, max_size=8)


def chained(records: Sequence[tuple[str, dict[str, str]]], head: Head | None = None) -> list[bytes]:
    """Return the lines of a log with these entries."""
    head, lines = head or Head(), []
    for kind, fields in records:
        lines.append(encode_line(head, kind, 1_700_000_000.0, encode_fields(fields)))
        head = head_after(head, lines[-1])
    return lines


LOGS = st.builds(chained, RECORDS)


def verified(lines: Sequence[bytes], since: str | None = None) -> Verified:
    """Verify the text of a file."""
    data = enumerate(io.BytesIO(b"".join(lines)), 1)
    return verify((ReadLine(place=LinePlace(file=FILE, line=number), data=it) for number, it in data), since)


def with_checksum(record: dict[str, object]) -> bytes:
    """Return the line of a record with a valid checksum, as someone who knows the format would forge it."""
    record = {key: value for key, value in record.items() if key != "sum"}
    body = json.dumps(record, separators=(",", ":")).encode()[:-1]
    return body + b',"sum":"' + hashlib.sha256(body).hexdigest().encode() + b'"}\n'


def fault_of(lines: Sequence[bytes], since: str | None = None) -> tuple[Tampering, int | None]:
    fault = verified(lines, since).fault
    assert fault, "nothing was found"
    return fault.tampering, fault.place.line if fault.place else None


@dataclass(frozen=True)
class Sample:
    """A log, and two different lines of it by their indexes."""

    lines: list[bytes]
    one: int
    other: int


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    lines = draw(LOGS)
    one, other = sorted(draw(st.permutations(range(len(lines))))[:2])
    return Sample(lines, one, other)


@pytest.mark.requirement("approval.audit.verify")
@settings(deadline=None)
@given(LOGS)
def test_an_untouched_log_is_right(lines: list[bytes]) -> None:
    result = verified(lines)
    assert result.fault is None
    assert result.head == Head(seq=len(lines), digest=digest_of(lines[-1]))
    assert not result.torn


@pytest.mark.requirement("approval.audit.verify.changed")
@settings(deadline=None)
@given(samples(), st.data())
def test_a_changed_byte_is_found(sample: Sample, data: st.DataObject) -> None:
    line = sample.lines[sample.one]
    position = data.draw(st.integers(0, len(line) - 1))
    changed = bytearray(line)
    changed[position] ^= data.draw(st.integers(1, 255))
    result = verified([*sample.lines[: sample.one], bytes(changed), *sample.lines[sample.one + 1 :]])
    # Without its newline, the last line looks like one that a killed writer left.
    found = [result.fault.place] if result.fault else result.torn
    assert list(found) == [LinePlace(file=FILE, line=sample.one + 1)]


@pytest.mark.requirement("approval.audit.verify.changed")
@settings(deadline=None)
@given(samples(), st.text(max_size=8))
def test_a_changed_line_with_a_forged_checksum_is_found(sample: Sample, comment: str) -> None:
    forged = with_checksum({**json.loads(sample.lines[sample.one]), "forged": comment})
    lines = [*sample.lines[: sample.one], forged, *sample.lines[sample.one + 1 :]]
    assert fault_of(lines) == (Tampering.CHANGED, sample.one + 1)


@pytest.mark.requirement("approval.audit.verify.changed")
@settings(deadline=None)
@given(samples(), st.sampled_from(["prev", "seq"]))
def test_a_forged_place_in_the_chain_is_found(sample: Sample, key: str) -> None:
    forged = {"prev": "f" * 64, "seq": 10**6}[key]
    line = with_checksum({**json.loads(sample.lines[sample.one]), key: forged})
    lines = [*sample.lines[: sample.one], line, *sample.lines[sample.one + 1 :]]
    assert fault_of(lines) == (Tampering.CHANGED, sample.one + 1)


@pytest.mark.requirement("approval.audit.verify.removed")
@settings(deadline=None)
@given(samples())
def test_a_removed_line_is_found(sample: Sample) -> None:
    lines = [*sample.lines[: sample.one], *sample.lines[sample.one + 1 :]]
    assert fault_of(lines) == (Tampering.REMOVED, sample.one + 1)


@pytest.mark.requirement("approval.audit.verify.inserted")
@settings(deadline=None)
@given(samples(), st.binary(max_size=40))
def test_an_inserted_text_is_found(sample: Sample, text: bytes) -> None:
    inserted = text.replace(b"\n", b"").replace(b"\r", b"") + b"\n"
    lines = [*sample.lines[: sample.one], inserted, *sample.lines[sample.one :]]
    assert fault_of(lines) == (Tampering.INSERTED, sample.one + 1)


@pytest.mark.requirement("approval.audit.verify.inserted")
@settings(deadline=None)
@given(samples(), st.integers(-2, 10**6), st.booleans())
@example(Sample(chained([("arrival", {})] * 3), one=0, other=1), 4, False)
def test_an_inserted_entry_is_found_whatever_it_says(sample: Sample, seq: int, fits: bool) -> None:
    original = json.loads(sample.lines[sample.one])
    forged = {**original, "kind": "forged", "seq": original["seq"] if fits else seq}
    lines = [*sample.lines[: sample.one], with_checksum(forged), *sample.lines[sample.one :]]
    assert fault_of(lines) == (Tampering.INSERTED, sample.one + 1)


@pytest.mark.requirement("approval.audit.verify.inserted", "approval.audit.verify.duplicated")
@settings(deadline=None)
@given(samples())
def test_a_copy_of_another_line_is_found(sample: Sample) -> None:
    lines, copy = sample.lines, sample.lines[sample.other]
    tampering, line = fault_of([*lines[: sample.one], copy, *lines[sample.one :]])
    assert (tampering, line) == (Tampering.DUPLICATED, sample.one + 1)
    tampering, line = fault_of([*lines[: sample.other], lines[sample.one], *lines[sample.other :]])
    assert tampering in (Tampering.INSERTED, Tampering.DUPLICATED)
    assert line == sample.other + 1


@pytest.mark.requirement("approval.audit.verify.duplicated")
@settings(deadline=None)
@given(samples())
def test_a_duplicated_line_is_found(sample: Sample) -> None:
    lines = [*sample.lines[: sample.one + 1], *sample.lines[sample.one :]]
    assert fault_of(lines) == (Tampering.DUPLICATED, sample.one + 2)


@pytest.mark.requirement("approval.audit.verify.swapped")
@settings(deadline=None)
@given(samples())
def test_swapped_lines_are_found(sample: Sample) -> None:
    lines = list(sample.lines)
    lines[sample.one], lines[sample.other] = lines[sample.other], lines[sample.one]
    assert fault_of(lines) == (Tampering.SWAPPED, sample.one + 1)


@pytest.mark.requirement("approval.audit.verify.since")
@settings(deadline=None)
@given(samples())
def test_a_tail_that_was_cut_off_is_found_with_a_hash(sample: Sample) -> None:
    hashes = [digest_of(it) for it in sample.lines]
    cut = sample.lines[: sample.other]
    assert verified(cut).fault is None
    assert verified(cut, since=hashes[sample.one]).fault is None
    assert fault_of(cut, since=hashes[sample.other]) == (Tampering.TRUNCATED, None)
    assert fault_of(cut, since=hashes[-1]) == (Tampering.TRUNCATED, None)


@pytest.mark.requirement("approval.audit.verify.since")
@settings(deadline=None)
@given(samples())
def test_a_log_without_its_first_files_is_verified_with_the_hash_of_their_end(sample: Sample) -> None:
    later = sample.lines[sample.other :]
    result = verified(later, since=digest_of(sample.lines[sample.other - 1]))
    assert result.fault is None
    assert result.first == sample.other + 1
    assert fault_of(later) == (Tampering.REMOVED, 1)
    assert fault_of(later, since=digest_of(later[-1]))[0] is Tampering.REMOVED


@pytest.mark.requirement("approval.audit.torn")
@settings(deadline=None)
@given(samples(), st.data())
def test_an_incomplete_last_line_is_reported_but_no_fault(sample: Sample, data: st.DataObject) -> None:
    length = data.draw(st.integers(1, len(sample.lines[-1]) - 1))
    result = verified([*sample.lines[:-1], sample.lines[-1][:length]])
    assert result.fault is None
    assert list(result.torn) == [LinePlace(file=FILE, line=len(sample.lines))]
