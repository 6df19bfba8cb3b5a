"""Serves files over https, as any host does. Usage: update_host.py DIRECTORY PLACE PORT HOLD

PLACE.pem and PLACE.key certify it. HOLD: while this file is there, it holds "NAME BYTES": of that file so many bytes come
at once, which is told in a line, and then one each second.
"""
import http.server
import os
import shutil
import ssl
import sys
import time

directory, place, port, hold = sys.argv[1:]


def held():
    try:
        with open(hold) as file:
            name, count = file.read().split()
            return name, int(count)
    except FileNotFoundError:
        return None


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Whom the power has left says nothing any more.
    timeout = 60

    def do_GET(self):
        name = os.path.basename(self.path)
        try:
            file = open(os.path.join(directory, name), "rb")
        except OSError:
            return self.send_error(404)
        with file:
            self.send_response(200)
            self.send_header("Content-Length", str(os.fstat(file.fileno()).st_size))
            self.end_headers()
            stop = held()
            if not stop or stop[0] != name:
                return shutil.copyfileobj(file, self.wfile, 1 << 16)
            left = stop[1]
            while left > 0:
                left -= self.wfile.write(file.read(min(left, 1 << 16)))
            print(f"slow in {name}", flush=True)
            while held():
                # So that nobody takes it for dead.
                time.sleep(1)
                self.wfile.write(file.read(1))
        self.close_connection = True


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        print(f"over: {sys.exc_info()[1]!r}", flush=True)


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(place + ".pem", place + ".key")
server = Server(("127.0.0.1", int(port)), Answer)
# The handshake is the thread's: whoever is slow with it holds nobody up.
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
server.serve_forever()
