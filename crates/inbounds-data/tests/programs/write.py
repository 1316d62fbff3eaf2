"""Writes the files beside it, of people who are made up: `pip install pyreadstat pandas openpyxl odfpy`, then
`python write.py`. Their cells as text are in `src/programs/tests.rs`."""

import datetime as dt
from pathlib import Path

import pandas as pd
import pyreadstat
from openpyxl.styles import PatternFill

HERE = Path(__file__).parent

people = pd.DataFrame(
    {
        "id": [1, 2, 3, 4, 5],
        "age": [34.0, 99.0, None, 51.0, 98.5],
        "sex": [1.0, 2.0, 1.0, 9.0, None],
        "income": [1234.5, -2.25, 1e6, 0.1, 12345678901234567.0],
        "town": ["Köln", "", "St. Gallen, SG", 'the "Hague"', "Zürich"],
        "born": [dt.date(1990, 1, 2), dt.date(1980, 12, 31), None, dt.date(2001, 2, 28), dt.date(1899, 9, 9)],
        "seen": [
            dt.datetime(2020, 1, 2, 3, 4, 5),
            None,
            dt.datetime(1970, 1, 1),
            dt.datetime(2024, 2, 29, 12, 0, 0),
            dt.datetime(1999, 12, 31, 23, 59, 59),
        ],
    }
)
strings = pd.DataFrame(
    {
        "brief": ["a", "", "ccc", "dd"],
        "text": ["x" * 255, "y" * 256, "", "ü" * 150],
        "longer": ["z" * 252 + "end", "q" * 700 + "!", "w" * 252 + "  " + "v" * 251 + "t", ""],
        "after": [1.0, 2.0, None, 4.0],
    }
)
labels = {"age": "Age in years", "sex": "Sex of the person"}
values = {"sex": {1: "male", 2: "female", 9: "refused"}}
missing = {"age": [{"lo": 97, "hi": 99}], "sex": [9]}


def main():
    of_spss = dict(column_labels=labels, variable_value_labels=values, missing_ranges=missing)
    pyreadstat.write_sav(people, HERE / "people-plain.sav", **of_spss)
    pyreadstat.write_sav(people, HERE / "people-packed.sav", row_compress=True, **of_spss)
    pyreadstat.write_sav(people, HERE / "people.zsav", compress=True, **of_spss)
    pyreadstat.write_sav(strings, HERE / "strings.sav", row_compress=True)
    ascii_only = people.assign(town=people["town"].str.replace("ö", "o").str.replace("ü", "u"))
    pyreadstat.write_dta(ascii_only, HERE / "people-8.dta", version=8, column_labels=labels, variable_value_labels=values)
    pyreadstat.write_dta(people, HERE / "people-15.dta", version=15, column_labels=labels, variable_value_labels=values)
    for version in (117, 118):
        strings.drop(columns="longer").assign(text=strings["text"].where(strings.index < 3, "u" * 3000)).to_stata(
            HERE / f"strings-{version}.dta", version=version, write_index=False, convert_strl=["text"]
        )
    pyreadstat.write_xport(ascii_only, HERE / "people-5.xpt", file_format_version=5, table_name="PEOPLE", column_labels=labels)
    pyreadstat.write_xport(people, HERE / "people-8.xpt", file_format_version=8, table_name="PEOPLE", column_labels=labels)
    # Excel has no day before 1900 and no more than fifteen digits.
    last = people.index == 4
    born, income = people["born"].mask(last, dt.date(1900, 3, 1)), people["income"].mask(last, 123456789.25)
    sheet = people.assign(
        born=born, income=income, member=[True, False, None, True, True], note=["two\nlines", None, "", " ", "="]
    )
    with pd.ExcelWriter(HERE / "book.xlsx") as book:
        pd.DataFrame({"about": ["People who are made up"]}).to_excel(book, sheet_name="Read me", index=False)
        sheet.to_excel(book, sheet_name="People", index=False, startrow=3, startcol=0)
        book.sheets["People"]["A1"] = "People, 2024"
        book.sheets["People"]["L6"] = "a remark of somebody"
        book.sheets["People"]["A10"] = "Source: made up"
        # Neither makes a line: a cell right of the header, and a format.
        book.sheets["People"]["L12"] = "another remark"
        book.sheets["People"]["A13"].fill = PatternFill("solid", fgColor="FFFF00")
        book.book.create_sheet("Hidden", 0).sheet_state = "hidden"
        book.sheets["Hidden"]["A1"] = "hidden"
    sheet.to_excel(HERE / "book.ods", sheet_name="People", index=False, engine="odf")


if __name__ == "__main__":
    main()
