"""Names of fsspec become TileDB's settings, and no secret is ever repeated."""

from __future__ import annotations

import pytest
import tiledb

from cxg_widget.datasets.tiledb_access.contexts import make_context, timeout_s
from cxg_widget.datasets.tiledb_access.storage_options import translate
from cxg_widget.errors import InvalidOption

URI = "s3://bucket/data.cxg"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"key": "k", "secret": "s", "token": "t"}, {"aws_access_key_id": "k", "aws_secret_access_key": "s"}),
        ({"username": "k", "password": "s"}, {"aws_access_key_id": "k", "aws_secret_access_key": "s"}),
        ({"anon": True}, {"no_sign_request": "true"}),
        ({"anon": False}, {"no_sign_request": "false"}),
        ({"region": "eu-west-1"}, {"region": "eu-west-1"}),
        ({"client_kwargs": {"region_name": "eu-west-1"}}, {"region": "eu-west-1"}),
        (
            {"endpoint_url": "http://10.0.0.1:9000/"},
            {"endpoint_override": "10.0.0.1:9000", "scheme": "http", "use_virtual_addressing": "false"},
        ),
        (
            {"endpoint_url": "https://s3.eu-west-1.amazonaws.com"},
            {"scheme": "https", "use_virtual_addressing": "true"},
        ),
        ({"endpoint_url": "minio:9000", "use_ssl": False}, {"endpoint_override": "minio:9000", "scheme": "http"}),
        ({"config_kwargs": {"connect_timeout": 2, "read_timeout": 1.5}}, {"request_timeout_ms": "1500"}),
        ({"config_kwargs": {"retries": {"max_attempts": 7}}}, {"connect_max_tries": "7"}),
        ({"config_kwargs": {"s3": {"addressing_style": "path"}}}, {"use_virtual_addressing": "false"}),
        ({"verify": False}, {"verify_ssl": "false"}),
        ({"verify": "/etc/ca.pem"}, {"ca_file": "/etc/ca.pem"}),
        ({"requester_pays": True}, {"requester_pays": "true"}),
        ({"vfs.s3.region": "x", "region": None}, {"region": "x"}),
    ],
)
def test_options_of_s3fs_are_settings_that_tiledb_takes(options, expected):
    ctx = make_context(URI, storage_options=options)
    config = ctx.config()
    assert {name: config[f"vfs.s3.{name}"] for name in expected} == expected


def test_options_of_other_schemes_are_their_own():
    assert translate({"account_name": "me"}, "azure://box/x") == {"vfs.azure.storage_account_name": "me"}
    assert translate({"project": "p"}, "gs://box/x") == {"vfs.gcs.project_id": "p"}
    with pytest.raises(InvalidOption, match="gs://"):
        translate({"account_name": "me"}, "gs://box/x")


def test_an_unknown_option_comes_with_the_nearest_and_without_its_value():
    with pytest.raises(InvalidOption, match="Did you mean 'secret'") as caught:
        translate({"secrett": "hush"}, URI)
    assert "hush" not in str(caught.value)
    for wrong in ({"read_timeout": "hush"}, {"endpoint_url": ["hush"]}):
        with pytest.raises(InvalidOption) as caught:
            translate(wrong, URI)
        assert "hush" not in str(caught.value)
    with pytest.raises(InvalidOption, match="must be a dict"):
        translate(["key"], URI)


def test_a_context_and_options_exclude_each_other():
    for more in ({"config": {}}, {"storage_options": {}}):
        with pytest.raises(InvalidOption, match="exclude each other"):
            make_context(URI, tiledb.Ctx(), **more)
    with pytest.raises(InvalidOption, match="exclude each other"):
        make_context(URI, {}, config={})
    assert make_context(URI, {"vfs.s3.region": "a"}).config()["vfs.s3.region"] == "a"
    assert make_context(URI, config=tiledb.Config({"vfs.s3.region": "a"})).config()["vfs.s3.region"] == "a"


def test_what_the_user_sets_goes_before_our_defaults_and_local_stores_keep_tiledbs_but_for_memory():
    tiledbs = tiledb.Config()
    ours = make_context(URI).config()
    assert ours["vfs.s3.max_parallel_ops"] != tiledbs["vfs.s3.max_parallel_ops"]
    here = make_context("/x.cxg").config().dict()
    others = {name for name, value in here.items() if value != tiledbs.dict().get(name)}
    assert others == {"py.init_buffer_bytes", "sm.mem.malloc_trim"}
    assert make_context("/x.cxg", config={"sm.mem.malloc_trim": "true"}).config()["sm.mem.malloc_trim"] == "true"
    for given in ({"config": {"vfs.s3.max_parallel_ops": 3}}, {"storage_options": {"max_pool_connections": 3}}):
        assert make_context(URI, **given).config()["vfs.s3.max_parallel_ops"] == "3"
    both = make_context(URI, {"vfs.s3.region": "a"}, storage_options={"region": "b", "key": "k"}).config()
    assert (both["vfs.s3.region"], both["vfs.s3.aws_access_key_id"]) == ("a", "k")


def test_patience_follows_the_time_outs_that_were_set():
    short = make_context(URI, storage_options={"connect_timeout": 1, "read_timeout": 1, "max_attempts": 1})
    assert timeout_s(short) < 10 < timeout_s(make_context(URI)) < 120
