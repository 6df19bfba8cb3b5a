"""A camera with one picture for everybody who asks. Usage: camera.py PORT"""
import http.server
import sys

# A JPEG by its first and last bytes; the box looks at no more.
PICTURE = b"\xff\xd8\xff\xe0" + b"what the camera sees" * 50 + b"\xff\xd9"


class Camera(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "image/jpeg")
        self.send_header("Content-Length", str(len(PICTURE)))
        self.end_headers()
        self.wfile.write(PICTURE)


if __name__ == "__main__":
    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Camera).serve_forever()
