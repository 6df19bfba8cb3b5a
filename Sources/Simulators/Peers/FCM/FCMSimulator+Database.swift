import AlarmModel
import PhoneProtocol

/// The database: flat places with children, which is what messages need. Anybody may write, as phones do by its rules;
/// reading and removing take a token.
extension FCMSimulator {
    mutating func answerDatabase(
        _ request: HTTPServerRequest, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        let path = String(request.path.dropLast(".json".count))
        let needsToken = request.method == "GET" || request.method == "DELETE"
        if needsToken, !isAuthorized(request, at: now) {
            let answer = HTTPServerAnswer(401, json: #"{"error":"Unauthorized request."}"#)
            return http.answer(request.connection, answer, into: &actions)
        }
        if let fault = Self.take(&faults.database) {
            let body = JSON.object(["error": .string(fault.text)]).text
            let answer = HTTPServerAnswer(fault.status, json: body, fields: Self.fields(fault))
            return http.answer(request.connection, answer, into: &actions)
        }
        if request.method == "GET", request.field("Accept") == "text/event-stream" {
            return watch(request, Self.place(path), at: now, into: &actions)
        }
        let isSilent = request.parameter("print") == "silent"
        let value = (try? JSON(parsing: request.body)) ?? .null
        var result = value
        let (place, key) = Self.split(path)
        switch request.method {
        case "GET": result = content(of: Self.place(path))
        case "PUT": put(place, key, value, at: now, into: &actions)
        case "DELETE":
            put(place, key, .null, at: now, into: &actions)
            result = .null
        case "POST":
            pushCount += 1
            let name = "-push\(String(1_000_000 + pushCount).dropFirst())"
            put(Self.place(path), name, value, at: now, into: &actions)
            result = .object(["name": .string(name)])
        case "PATCH":
            for member in value.objectValue ?? [] {
                store(Self.place(path), member.key, member.value, at: now)
            }
            tell(Self.place(path), "patch", "/", value.objectValue ?? [], value, into: &actions)
        default:
            return http.answer(request.connection, HTTPServerAnswer(405, json: "{}"), into: &actions)
        }
        let answer = isSilent ? HTTPServerAnswer(204) : HTTPServerAnswer(200, json: result.text)
        http.answer(request.connection, answer, into: &actions)
    }

    mutating func put(
        _ place: String, _ key: String, _ value: JSON, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        store(place, key, value, at: now)
        tell(place, "put", "/\(key)", [JSON.Member(key: key, value: value)], value, into: &actions)
    }

    private mutating func store(_ place: String, _ key: String, _ value: JSON, at now: Moment) {
        nodes.removeAll { $0.place == place && $0.key == key }
        guard !value.isNull else { return }
        let index = nodes.firstIndex { ($0.place, $0.key) > (place, key) } ?? nodes.count
        nodes.insert(Node(place: place, key: key, value: value, since: now.boot), at: index)
    }

    /// null where nothing is.
    func content(of place: String) -> JSON {
        let members = members(of: place, limit: .max)
        return members.isEmpty ? .null : .object(members)
    }

    private func members(of place: String, limit: Int) -> [JSON.Member] {
        nodes.lazy.filter { $0.place == place }.prefix(limit).map { JSON.Member(key: $0.key, value: $0.value) }
    }

    private mutating func watch(
        _ request: HTTPServerRequest, _ place: String, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        let id = request.connection
        if let target = faults.redirect {
            faults.redirect = nil
            let field = HTTPServerRequest.Field("Location", target)
            return http.answer(id, HTTPServerAnswer(307, fields: [field]), into: &actions)
        }
        let type = HTTPServerRequest.Field("Content-Type", "text/event-stream; charset=utf-8")
        http.beginStream(id, fields: [type, .init("Cache-Control", "no-cache")], into: &actions)
        let limit = request.parameter("limitToFirst").flatMap { Int($0) } ?? .max
        streams.append(
            Watching(connection: id, place: place, limit: limit, nextKeepAlive: now.boot + settings.keepAlive))
        tellAll(of: place, to: id, into: &actions)
    }

    mutating func tellAll(of place: String, to id: ConnectionID, into actions: inout [HTTPServiceAction]) {
        guard let index = streams.firstIndex(where: { $0.connection == id }) else { return }
        let members = members(of: place, limit: streams[index].limit)
        streams[index].shown = members.map(\.key)
        event("put", "/", members.isEmpty ? .null : .object(members), to: id, into: &actions)
    }

    /// Each stream hears of what changes within its limit, and of what comes into it and leaves it by that.
    private mutating func tell(
        _ place: String, _ name: String, _ path: String, _ changed: [JSON.Member], _ value: JSON,
        into actions: inout [HTTPServiceAction]
    ) {
        let copies = faults.repeats > 0 ? 2 : 1
        faults.repeats = max(0, faults.repeats - 1)
        let keys = changed.map(\.key)
        for index in streams.indices where streams[index].place == place {
            let id = streams[index].connection
            let members = members(of: place, limit: streams[index].limit)
            let before = streams[index].shown
            streams[index].shown = members.map(\.key)
            let isSeen = (before + streams[index].shown).contains { keys.contains($0) }
            if isSeen || members.count < streams[index].limit {
                for _ in 0..<copies { event(name, path, value, to: id, into: &actions) }
            }
            for key in before where !members.contains(where: { $0.key == key }) && !keys.contains(key) {
                event("put", "/\(key)", .null, to: id, into: &actions)
            }
            for member in members where !before.contains(member.key) && !keys.contains(member.key) {
                event("put", "/\(member.key)", member.value, to: id, into: &actions)
            }
        }
    }

    private mutating func event(
        _ name: String, _ path: String, _ value: JSON, to id: ConnectionID, into actions: inout [HTTPServiceAction]
    ) {
        event(name, JSON.object(["path": .string(path), "data": value]).text, to: id, into: &actions)
    }

    mutating func event(
        _ name: String, _ data: String, to id: ConnectionID, into actions: inout [HTTPServiceAction]
    ) {
        guard !faults.isSilent else { return }
        http.chunk(id, Array("event: \(name)\ndata: \(data)\n\n".utf8), into: &actions)
    }

    /// With one slash at each end.
    static func place(_ path: String) -> String {
        let parts = path.split(separator: "/")
        return parts.isEmpty ? "/" : "/\(parts.joined(separator: "/"))/"
    }

    private static func split(_ path: String) -> (place: String, key: String) {
        let parts = path.split(separator: "/")
        return (place(parts.dropLast().joined(separator: "/")), String(parts.last ?? ""))
    }
}
