"""What the mutating tools must do, with a dictionary and plain loops: the oracle of the model."""

from __future__ import annotations

from attrs import define, field


class Refused(Exception):
    """The document refuses this call with a code."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@define
class PlainProject:
    """One project of one tenant."""

    quota: int
    files: dict[str, bytes] = field(factory=dict)
    deletions: list[dict[str, bytes]] = field(factory=list)

    def below(self, path: str) -> list[str]:
        return sorted(name for name in self.files if name.startswith(f"{path}/"))

    def file_above(self, path: str) -> bool:
        parts = path.split("/")
        return any("/".join(parts[:i]) in self.files for i in range(2, len(parts)))

    def write(self, path: str, payload: bytes, mode: str, offset: int) -> int:
        if mode == "TRUNCATE" and offset:
            raise Refused("INVALID_OFFSET")
        if self.below(path):
            raise Refused("IS_DIRECTORY")
        if self.file_above(path):
            raise Refused("NOT_DIRECTORY")
        old = self.files.get(path, b"")
        if mode == "APPEND":
            new = old + payload
        elif mode == "TRUNCATE":
            new = payload
        else:
            if offset > len(old):
                raise Refused("INVALID_OFFSET")
            new = old[:offset] + payload + old[offset + len(payload) :]
            try:
                new.decode()
            except UnicodeDecodeError:
                raise Refused("INVALID_OFFSET") from None
        self.fits(len(new) - len(old))
        self.files[path] = new
        return len(payload)

    def fits(self, growth: int) -> None:
        if growth > 0 and sum(map(len, self.files.values())) + growth > self.quota:
            raise Refused("QUOTA_EXCEEDED")

    def delete(self, path: str, recursive: bool) -> int:
        if path == "":
            raise Refused("PERMISSION_DENIED" if recursive else "INVALID_PATH")
        doomed = [path] if path in self.files else self.below(path)
        if not doomed:
            raise Refused("NOT_FOUND")
        if path not in self.files and not recursive:
            raise Refused("NOT_EMPTY")
        self.deletions.append({name: self.files.pop(name) for name in doomed})
        return len(doomed)

    def rename(self, source: str, target: str, overwrite: bool) -> int:
        if source == target:
            return 0
        if source in self.files:
            return self._rename_file(source, target, overwrite)
        moving = self.below(source)
        if not moving:
            raise Refused("NOT_FOUND")
        if target.startswith(f"{source}/"):
            raise Refused("INVALID_PATH")
        if self.file_above(target):
            raise Refused("NOT_DIRECTORY")
        if target in self.files:
            raise Refused("ALREADY_EXISTS")
        moved = {target + name[len(source) :]: self.files[name] for name in moving}
        rest = {name: data for name, data in self.files.items() if name not in moving}
        self._check_meeting(rest, moved)
        self.files = {**rest, **moved}
        return len(moved)

    def _rename_file(self, source: str, target: str, overwrite: bool) -> int:
        if self.file_above(target):
            raise Refused("NOT_DIRECTORY")
        if self.below(target) or (target in self.files and not overwrite):
            raise Refused("ALREADY_EXISTS")
        if target in self.files:
            self.deletions.append({target: self.files[target]})
        self.files[target] = self.files.pop(source)
        return 1

    def _check_meeting(self, stay: dict[str, bytes], come: dict[str, bytes]) -> None:
        for name in sorted(stay):
            for new in come:
                if name == new or name.startswith(f"{new}/"):
                    raise Refused("ALREADY_EXISTS")
            if any(new.startswith(f"{name}/") for new in come):
                raise Refused("NOT_DIRECTORY")

    def undelete(self, path: str) -> int:
        for index in range(len(self.deletions) - 1, -1, -1):
            back = {
                name: data
                for name, data in self.deletions[index].items()
                if name == path or name.startswith(f"{path}/")
            }
            if not back:
                continue
            if path and self.file_above(path):
                raise Refused("NOT_DIRECTORY")
            self._check_meeting(self.files, back)
            self.fits(sum(map(len, back.values())))
            self.files |= back
            for name in back:
                del self.deletions[index][name]
            return len(back)
        raise Refused("NOT_FOUND")

    def entries(self, path: str, depth: int) -> list[tuple[str, str]]:
        """Return (path, type) of all entries down to a depth, in byte order."""
        found: dict[str, str] = {}
        for name in self.below(path):
            parts = name[len(path) + 1 :].split("/")
            for level in range(1, min(depth, len(parts)) + 1):
                kind = "FILE" if level == len(parts) else "DIRECTORY"
                found["/".join([path, *parts[:level]])] = kind
        return sorted(found.items(), key=lambda item: item[0].encode())
