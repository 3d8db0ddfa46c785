# dhyan serve, without PyTorch: docker build -t dhyan . && docker run -p 8080:8080 dhyan
FROM python:3.11-slim AS build
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src ./src
# Without pip in it, the environment is smaller by 10 MB and has nothing that installs.
RUN python -m venv --without-pip /opt/dhyan && \
    pip --python /opt/dhyan/bin/python install --no-cache-dir --no-compile -c constraints.txt .

FROM python:3.11-slim
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/dhyan dhyan && \
    install --directory --owner dhyan /var/cache/dhyan
COPY --from=build /opt/dhyan /opt/dhyan
# Settings of the server are variables, so that `docker run -e DHYAN_ALLOW_HOST=mt.example.org dhyan` changes one.
ENV PATH=/opt/dhyan/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    DHYAN_HOME=/var/lib/dhyan \
    DHYAN_CACHE=/var/cache/dhyan \
    DHYAN_HOST=0.0.0.0 \
    DHYAN_PORT=8080 \
    DHYAN_ALLOW_HOST=localhost
USER 10001
EXPOSE 8080
# Packs of one's own go to /var/lib/dhyan/packs; converted ones are kept in /var/cache/dhyan.
VOLUME ["/var/lib/dhyan", "/var/cache/dhyan"]
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-c", "import os, urllib.request as r; r.urlopen(f'http://127.0.0.1:{os.environ[\"DHYAN_PORT\"]}/health', timeout=4)"]
ENTRYPOINT ["dhyan"]
CMD ["serve"]
