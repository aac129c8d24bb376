"""A worker of BuildGrid that lets a BuildBox on this machine run what it is leased.

    python farm_worker.py SCHEDULER BUILDBOX NAME SLOTS

Run by the interpreter that has BuildGrid; BuildBox's own worker is in no package. What a lease is:
https://github.com/googleapis/googleapis/tree/master/google/devtools/remoteworkers/v1test2
"""

import hashlib
import sys
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import grpc
from buildgrid._protos.build.bazel.remote.execution.v2 import (
    remote_execution_pb2 as execution,
)
from buildgrid._protos.build.bazel.remote.execution.v2 import (
    remote_execution_pb2_grpc as execution_services,
)
from buildgrid._protos.google.devtools.remoteworkers.v1test2 import bots_pb2 as bots
from buildgrid._protos.google.devtools.remoteworkers.v1test2 import bots_pb2_grpc as bot_services

_PATIENCE = 30.0  # seconds; until nearly then the scheduler keeps an idle worker waiting for work
_SIGN = 5.0  # seconds until a busy worker says that it lives


class Worker:
    """One session with the scheduler."""

    def __init__(self, scheduler: str, buildbox: str, name: str, slots: int) -> None:
        self.bots = bot_services.BotsStub(grpc.insecure_channel(scheduler))
        self.execution = execution_services.ExecutionStub(grpc.insecure_channel(buildbox))
        self.name, self.slots, self.pool = name, slots, ThreadPoolExecutor(slots)
        self.running: dict[str, Future[bots.Lease]] = {}
        session = bots.BotSession(bot_id=name, status=bots.OK)
        device = session.worker.devices.add(handle="host")
        for key, value in (("OSFamily", "linux"), ("ISA", "x86-64")):
            device.properties.add(key=key, value=value)
        session.worker.configs.add(key="capacity", value=str(slots))
        asked = bots.CreateBotSessionRequest(parent="", bot_session=session)
        self.session = self.bots.CreateBotSession(asked, timeout=_PATIENCE)

    def work(self) -> None:
        """Take leases and report how they ended, for ever."""
        while True:
            for lease in self.session.leases:
                if lease.id not in self.running and lease.state in {bots.PENDING, bots.ACTIVE}:
                    lease.state = bots.ACTIVE
                    self.running[lease.id] = self.pool.submit(self.run, lease)
            if len(self.running) == self.slots:
                wait(self.running.values(), timeout=_SIGN, return_when=FIRST_COMPLETED)
            for lease in self.session.leases:
                if lease.id in self.running and self.running[lease.id].done():
                    lease.CopyFrom(self.running.pop(lease.id).result())
            asked = bots.UpdateBotSessionRequest(name=self.session.name, bot_session=self.session)
            patience = _SIGN if self.running else _PATIENCE
            self.session = self.bots.UpdateBotSession(asked, timeout=patience)

    def run(self, lease: bots.Lease) -> bots.Lease:
        """The lease, completed by what the action came to."""
        ended = bots.Lease()
        ended.CopyFrom(lease)
        ended.state = bots.COMPLETED
        action = lease.payload.value
        digest = execution.Digest(hash=hashlib.sha256(action).hexdigest(), size_bytes=len(action))
        asked = execution.ExecuteRequest(action_digest=digest, skip_cache_lookup=True)
        try:
            *_, last = self.execution.Execute(asked)
        except grpc.RpcError as error:  # the scheduler gives it to another worker
            ended.status.code = grpc.StatusCode.UNAVAILABLE.value[0]
            ended.status.message = str(error.details())
            return ended
        said = execution.ExecuteResponse()
        last.response.Unpack(said)
        ended.status.CopyFrom(said.status)
        said.result.execution_metadata.worker = self.name
        ended.result.Pack(said.result)
        return ended


if __name__ == "__main__":
    _, scheduler, buildbox, name, slots = sys.argv
    Worker(scheduler, buildbox, name, int(slots)).work()
