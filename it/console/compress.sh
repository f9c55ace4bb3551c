#!/usr/bin/env bash
# Makes pictures of pages small: each PNG file gets a palette of 256 colours, in its place. The browser tests compress what they
# keep below it/target/console with this, and docs/operate/console has these pictures.
#
#   it/console/compress.sh FILE...
#
# Uses pngquant, or Python with Pillow. Ends with 69 when neither is there, and leaves the files as they are.
set -euo pipefail

[ $# -gt 0 ] || {
  sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit 2
}

if command -v pngquant > /dev/null; then
  for file in "$@"; do
    # 98: the result would be larger than the file, which is left as it is.
    pngquant --force --skip-if-larger --strip --speed 1 --output "$file.small" 256 -- "$file" || [ $? = 98 ]
    [ ! -e "$file.small" ] || mv -f "$file.small" "$file"
  done
elif command -v python3 > /dev/null && python3 -c 'import PIL' 2> /dev/null; then
  python3 - "$@" << 'PYTHON'
import os
import sys

from PIL import Image

for path in sys.argv[1:]:
    with Image.open(path) as picture:
        # Method 2, the octree, keeps the flat colours of a page as they are.
        picture.convert("RGB").quantize(256, method=2, dither=0).save(path + ".small", format="PNG", optimize=True)
    if os.path.getsize(path + ".small") < os.path.getsize(path):
        os.replace(path + ".small", path)
    else:
        os.remove(path + ".small")
PYTHON
else
  echo "console: no pngquant and no Python with Pillow, so pictures stay large (Debian: apt-get install pngquant, or python3-pil)." >&2
  exit 69
fi
