"""The service: what a model answers, over HTTP.

`server` starts it, and `app` is the ASGI application. Each of the other modules is one of its parts: what may be asked
(`requests`), what is read (`bodies`), who may go on (`limits`), how questions come together (`batches`), what is
answered (`endpoints`, `streaming`, `files`), what is said when something is wrong (`problems`), and what others read of
it (`openapi`, `metrics`).
"""
