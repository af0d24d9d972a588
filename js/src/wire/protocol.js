/** All messages of front-end and kernel. Written by tools/protocol_js.py from protocol.py. */

export const VERSION = 2;
/** Missing number or category of 16 bits (of 8 bits: 255), coordinate that is not drawn. */
export const MISSING = 65535;
/** How a missing category is called. */
export const MISSING_LABEL = "(missing)";
/** What it is called where sets color the cells: all of them, or one. */
export const [IN_NO_SET_LABEL, NOT_IN_SET_LABEL] = ["in no set", "not in the set"];
/** What is said of cells that are drawn though the filters leave them out. */
export const LEFT_OUT_LABEL = "filtered out";
/** Opacity, of 255, of pixels of an image of numbers that hold none but such cells. */
export const LEFT_OUT_ALPHA = 1;
/** Parts of the width of a spot that sizes of cells come in. */
export const SPOT_PARTS = 1024;
/** Points of a container of a sparse gene. */
export const CONTAINER = 65536;

/** @typedef {"replace" | "add" | "subtract" | "intersect"} Mode */

/**
 * A front-end has started: send the dataset, then points, color and selection. Answered by those messages.
 * @typedef {object} Ready
 * @property {"ready"} kind
 * @property {number} version
 */
/**
 * The first points are being drawn: send the rest, which would have held them up. Not answered.
 * @typedef {object} Begun
 * @property {"begun"} kind
 */
/**
 * Bring back a kept state, or no longer offer any. Answered by `kept`, which then offers none.
 *
 * name : of the state, as `kept` lists it; "" = dismiss the offer
 * @typedef {object} Restore
 * @property {"restore"} kind
 * @property {string} name
 */
/**
 * Select the visible cells inside a polygon that pass the filters. Answered by `selection`.
 *
 * polygon : x, y of each corner in turn, in data units of the embedding and axes of the panel
 * @typedef {object} Lasso
 * @property {"lasso"} kind
 * @property {number} panel
 * @property {number[]} polygon
 * @property {"replace" | "add" | "subtract" | "intersect"} mode
 */
/**
 * Select all cells of a category on show that pass the filters, those hidden or without a place too.
 *
 * Answered by `selection`.
 *
 * color : spec of the legend it was chosen in; code : index into its categories, or into the fields of several genes,
 *     -1 = the cells without one
 * @typedef {object} Category
 * @property {"category"} kind
 * @property {number} panel
 * @property {string} color
 * @property {number} code
 * @property {"replace" | "add" | "subtract" | "intersect"} mode
 */
/**
 * Select cells by their rows, those that pass the filters. Answered by `selection`.
 * @typedef {object} Pick
 * @property {"pick"} kind
 * @property {number} panel
 * @property {number[]} rows
 * @property {"replace" | "add" | "subtract" | "intersect"} mode
 */
/**
 * Empty the selection. Answered by `selection`.
 * @typedef {object} Clear
 * @property {"clear"} kind
 */
/**
 * Take the last step back, or one that was undone again. What it changes is sent as any change; not answered.
 * @typedef {object} Undo
 * @property {"undo"} kind
 * @property {boolean} redo
 */
/**
 * Ask for the named sets of cells. Answered by `sets`.
 *
 * chosen : names of sets that may be combined: how many cells are in any, in all, and in the first alone is counted
 * @typedef {object} AskSets
 * @property {"sets"} kind
 * @property {string[]} chosen
 */
/**
 * Do something with a set of cells. Answered by `sets`; what else it changes is sent as any change is.
 *
 * op : "add" names the selection, in `within` another set where that is not ""; "put" names it anew; "select" selects
 *     its cells by a mode, "others" all other cells; "zoom" shows them; "rename" calls it `to`; "color" gives it the
 *     color `to`; "delete" forgets it; "union", "intersection" and "difference" name what these make of the sets `of`
 * @typedef {object} EditSet
 * @property {"set"} kind
 * @property {"add" | "put" | "select" | "others" | "zoom" | "rename" | "color" | "delete" | "union" | "intersection" | "difference"} op
 * @property {string} name
 * @property {string} to
 * @property {string} within
 * @property {"replace" | "add" | "subtract" | "intersect"} mode
 * @property {string[]} of
 */
/**
 * Ask for the annotations, and for labels of one. Answered by `annotations`.
 *
 * name : of the one whose labels to list; "" or an unknown one = the first
 * query : what those labels contain, in any case of letters; filters : as in `columns`
 * @typedef {object} AskAnnotations
 * @property {"annotations"} kind
 * @property {string} name
 * @property {string} query
 * @property {Record<string, any>[]} filters
 */
/**
 * Do something with an annotation. Answered by `annotated`; what else it changes is sent as any change is.
 *
 * op : "new" makes it, with the labels of the obs column `to` where that is not ""; "drop" forgets it; "assign" gives
 *     the selected cells a label, "" = takes theirs away; "rename" calls a label `to`, "merge" makes it one with
 *     `to`, "delete" takes it from all cells; "select" selects its cells that pass the filters, "" = those without
 *     one; "save" writes into the file `to`, "" = into obs of the AnnData on show
 * on_conflict : what "save" does where there are other labels
 * @typedef {object} EditAnnotation
 * @property {"annotation"} kind
 * @property {"new" | "drop" | "assign" | "rename" | "merge" | "delete" | "select" | "save"} op
 * @property {string} name
 * @property {string} label
 * @property {string} to
 * @property {"replace" | "add" | "subtract" | "intersect"} mode
 * @property {"error" | "ours" | "theirs"} on_conflict
 */
/**
 * Ask what the legend on show says of the selection. Answered by `counts`.
 * @typedef {object} Count
 * @property {"count"} kind
 * @property {number} panel
 */
/**
 * Ask for the visible cell nearest to a place on the screen. Answered by `cell`.
 *
 * x, y, radius_x, radius_y : data units; how far the cell may be along each axis
 * @typedef {object} Hover
 * @property {"hover"} kind
 * @property {number} panel
 * @property {number} x
 * @property {number} y
 * @property {number} radius_x
 * @property {number} radius_y
 */
/**
 * Find what one can color by. Answered by `matches`.
 * @typedef {object} Search
 * @property {"search"} kind
 * @property {string} query
 * @property {number} limit
 */
/**
 * Ask where the points lie in a panel's embedding, if that is not the plot's. Answered by `points`.
 * @typedef {object} AskPlace
 * @property {"place"} kind
 * @property {number} panel
 */
/**
 * Ask for the points in a view of a panel's embedding at full precision. Answered by one or more `detail`.
 *
 * view : x0, x1, y0, y1 in data units; either order
 * @typedef {object} Zoom
 * @property {"zoom"} kind
 * @property {number} panel
 * @property {number[]} view
 */
/**
 * Ask for all cells of a view where only a sample of them was sent. Answered by `image`, or by one or more `cells`.
 *
 * view : x0 (left), x1 (right), y0 (bottom), y1 (top) in data units
 * width, height : device pixels; diameter : of a point, device pixels
 * highlighted : category above all others, -1 = none
 * hidden, density, statistic, filtered : as the traits, which hosts hold back while the kernel is busy
 * weight : the number of a pixel: 0 = the mean of its cells, 1 = the highest, and in between a value between them;
 *     counts for the statistics "auto", "mean" and "max"
 * layers : how many other cells lie on a px where cells are, which says how opaque one is; 0 = all are opaque
 * @typedef {object} Aggregate
 * @property {"aggregate"} kind
 * @property {number} panel
 * @property {number[]} view
 * @property {number} width
 * @property {number} height
 * @property {number} diameter
 * @property {number} highlighted
 * @property {boolean} dark
 * @property {string[]} hidden
 * @property {"linear" | "log" | "cbrt" | "eq_hist"} density
 * @property {number} weight
 * @property {string} statistic
 * @property {"hide" | "grey"} filtered
 * @property {number} layers
 */
/**
 * Count the columns that are open, all others are closed. Answered by one `column` for each, in their order.
 *
 * columns : as the trait `color` has them, "obs:NAME" or "var:NAME"
 * known : those of which the front-end has categories or edges, which then are not sent again, but for those of `rows`
 * filters : as the trait, which hosts hold back while the kernel is busy
 * rows : of each of these, where it is long, the categories that are on the screen, as indices, missing ones last;
 *     [] = all, the first ones where it is not known
 * @typedef {object} AskColumns
 * @property {"columns"} kind
 * @property {number} panel
 * @property {string[]} columns
 * @property {string[]} known
 * @property {Record<string, any>[]} filters
 * @property {number[][]} rows
 */
/**
 * Find the categories of a column that contain a text. Answered by `found`.
 *
 * column : as the trait `color` has it; query : whose case does not count
 * labels : whether the names of those found are sent too
 * @typedef {object} FindValues
 * @property {"find"} kind
 * @property {number} panel
 * @property {string} column
 * @property {string} query
 * @property {boolean} labels
 */
/**
 * Ask for what colors a panel and which cells it shows. Answered by `color` and its values, and by `filter`.
 * @typedef {object} AskLook
 * @property {"look"} kind
 * @property {number} panel
 */
/**
 * Ask for the fields of the map of several genes that is on show. Answered by `field_counts`.
 * @typedef {object} AskFields
 * @property {"fields"} kind
 * @property {number} panel
 */
/**
 * A hand takes a brush: ask for all that its moves can do. Answered by one `sums` for each column, then by `bins`.
 *
 * column : of numbers, the one under the hand; columns : the others that are open, as the trait `color` has them
 * rows : of each of these the categories that are on the screen, as indices, missing ones last; of numbers none
 * filters : as in `columns`
 * @typedef {object} AskBrush
 * @property {"brush"} kind
 * @property {number} panel
 * @property {string} column
 * @property {string[]} columns
 * @property {number[][]} rows
 * @property {Record<string, any>[]} filters
 */
/**
 * Ask for rows of the table of the cells. Answered by `table`.
 *
 * table, filters : as the traits, which hosts hold back while the kernel is busy; no table = its defaults
 * start, n : the first row and how many; none = the table is closed
 * within : of a table of the selection: "filter" = only the cells that pass the filters
 * find : row of a cell in the store, around which rows are wanted instead, where it is in the table; -1 = none
 * @typedef {object} AskTable
 * @property {"table"} kind
 * @property {number} panel
 * @property {Record<string, any>} table
 * @property {number} start
 * @property {number} n
 * @property {number} find
 * @property {Record<string, any>[]} filters
 * @property {"" | "filter"} within
 */
/**
 * Ask for rows of the table as a file has them, numbers in full. Answered by `csv`.
 *
 * table, filters, within, start, n : as in `table`; the first row is preceded by the heads of the columns
 * separator : between two values
 * @typedef {object} AskCsv
 * @property {"csv"} kind
 * @property {number} panel
 * @property {Record<string, any>} table
 * @property {number} start
 * @property {number} n
 * @property {"," | "\t"} separator
 * @property {Record<string, any>[]} filters
 * @property {"" | "filter"} within
 */
/**
 * Read gene sets out of a text that was pasted, of an empty one those of the store. Answered by `gene_sets`.
 *
 * text : a GMT, or names apart by spaces, commas, semicolons or new lines
 * name : of the set where the text does not name it; "" = a new one
 * @typedef {object} AskGenes
 * @property {"genes"} kind
 * @property {string} text
 * @property {string} name
 */
/**
 * Ask for the front-end's second module, which draws its panels. Answered by `module`.
 *
 * known : hashes of those that the page has already
 * @typedef {object} AskModule
 * @property {"module"} kind
 * @property {string[]} known
 */
/**
 * Ask where the names of the categories of a column stand. Answered by `labels`.
 *
 * column : name of an obs column; filters : as in `columns`
 * @typedef {object} AskLabels
 * @property {"labels"} kind
 * @property {number} panel
 * @property {string} column
 * @property {Record<string, any>[]} filters
 */
/**
 * Ask for the contours of the categories of a column, "" = of all cells, or of named sets. Answered by `contours`.
 *
 * filters : as in `columns`; sets : names, [] = those of the column
 * @typedef {object} AskContours
 * @property {"contours"} kind
 * @property {number} panel
 * @property {string} column
 * @property {Record<string, any>[]} filters
 * @property {string[]} sets
 */
/**
 * Ask where one of two named sets is denser than the other. Answered by `difference`; filters : as in `columns`.
 * @typedef {object} AskDifference
 * @property {"difference"} kind
 * @property {number} panel
 * @property {string[]} sets
 * @property {Record<string, any>[]} filters
 */
/**
 * Ask which images there are of the sections that the cells lie on. Answered by `sections`; no image is read.
 * @typedef {object} AskSections
 * @property {"sections"} kind
 */
/**
 * Ask for an image of the section, or what of it lies in a view and around it. Answered by `tissue`.
 *
 * name : of the image; view : x left, x right, y bottom, y top, data units; width, height : px of the screen
 * @typedef {object} AskTissue
 * @property {"tissue"} kind
 * @property {number} panel
 * @property {string} name
 * @property {number[]} view
 * @property {number} width
 * @property {number} height
 */
/**
 * Ask for what is on show as a file, as `w.save` writes it. Answered by one or more `figure`.
 *
 * width, height : of the room that the plots have, CSS px
 * dark : whether the page is, which counts where no background is set
 * @typedef {object} AskFigure
 * @property {"figure"} kind
 * @property {"svg" | "pdf" | "png" | "html"} suffix
 * @property {number} width
 * @property {number} height
 * @property {boolean} dark
 */
/**
 * Compare cells. Answered by one or more `comparison`.
 *
 * a : "selection", "set:NAME", or "value:" and [column, category] as JSON; b : "rest", "neighborhood", or as a
 * normalize : where the values are counts, compare log1p of counts per 10,000
 * layer : "" = the layer on show
 * within : "filter" = only cells that pass the filters count, in `a`, `b` and the rest; "" = all
 * @typedef {object} Compare
 * @property {"compare"} kind
 * @property {string} a
 * @property {string} b
 * @property {"t-test" | "wilcoxon"} method
 * @property {boolean} normalize
 * @property {"" | "filter"} within
 * @property {string} layer
 */
/**
 * Ask for the newest comparison, of a hand or of Python. Answered by one or more `comparison`.
 *
 * known : the number of the result whose names the page has, which are not sent again; 0 = of none
 * group : where each group of a column was compared, the place of the one that is wanted
 * file : as `to_csv` writes it, of the result `known`; answered by `figure`
 * @typedef {object} AskComparison
 * @property {"comparison"} kind
 * @property {number} known
 * @property {number} group
 * @property {boolean} file
 */
/**
 * End work that lasts, as a newer request of its kind would. Not answered; the ended request fails as "Overtaken".
 *
 * What a setting brings is set back to what is on show; an index that is being built for a view is given up.
 * @typedef {object} Cancel
 * @property {"cancel"} kind
 * @property {number} panel
 * @property {"points" | "color" | "aggregate" | "zoom" | "hover" | "search" | "count" | "columns" | "table" | "csv" | "labels" | "contours" | "difference" | "tissue" | "compare" | "lasso"} of
 */
/**
 * The dataset that was opened.
 *
 * obs_noun, var_noun, set_noun : what one and what several of them are called; no set_noun = the store has no sets
 * embeddings : name and number of axes of each; columns : name and kind of each obs column
 * colormaps, notes : names on offer; one sentence for each thing that was skipped or is damaged
 * @typedef {object} DatasetInfo
 * @property {"dataset"} kind
 * @property {string} title
 * @property {number} n_obs
 * @property {number} n_var
 * @property {string[]} obs_noun
 * @property {string[]} var_noun
 * @property {string[]} set_noun
 * @property {Record<string, any>[]} embeddings
 * @property {Record<string, any>[]} columns
 * @property {string[]} colormaps
 * @property {string[]} notes
 */
/**
 * Quantised coordinates of the points start..stop of n_points, in display order.
 *
 * coordinate = lo + code / 65534 * (hi - lo) with lo, hi from extent = x0, x1, y0, y1 (data units); code 65535 in
 * either axis = not drawn (NaN or infinite); n_missing counts those among all n_obs cells.
 * n_points : how many points there will be; fewer than n_obs = a sample
 * aggregated : True where a picture at rest does not show these points, but is requested by `aggregate`
 * y_down : True where y grows downwards on the screen (tissue images)
 * equal_units : True where as much on either axis is drawn as long; else each axis has a scale of its own
 * axis_labels : what is written at x and y; empty where an axis by itself means nothing, as in a UMAP
 * few : in views of at most so many cells they are taken to have room next to each other
 * embedding : its name; of two columns both in words
 * n_at_zero : how many of all cells lie at (0, 0) exactly, at 0 of x and of y; empty unless two columns are axes
 * spot : how wide a spot is, data units, where the store states it; else 0. Where cells have widths of their own it is
 *     their median, and `sizes` come too
 * place : the embedding as the trait has it: its name alone, or two columns and their layer
 * panel : one of those that show this embedding, where it is not the plot's
 * @typedef {object} Points
 * @property {"points"} kind
 * @property {number} panel
 * @property {number} seq
 * @property {string} embedding
 * @property {number[]} axes
 * @property {number} start
 * @property {number} stop
 * @property {number} n_points
 * @property {number} n_obs
 * @property {number[]} extent
 * @property {number} n_missing
 * @property {boolean} y_down
 * @property {boolean} equal_units
 * @property {string[]} axis_labels
 * @property {boolean} aggregated
 * @property {number} few
 * @property {number[]} n_at_zero
 * @property {number} spot
 * @property {string[]} place
 * @property {{xy: Uint16Array, sizes?: Uint16Array}} arrays
 */
/**
 * The legend of a coloring; its values follow in `codes`, `values` or `nonzeros` of the same seq.
 *
 * spec : value of the trait `color`, always forced ("obs:NAME", "var:NAME", "mean:..."); "" = no color
 * name, detail : heading and subheading of the legend
 * scale "categorical": categories, counts, colors ("#rrggbb") run parallel; n_missing counts the rest
 * scale "continuous": lo, hi are the finite range; encoding "dense" or "sparse"; n_negative, n_zero count cells below
 *     0 and at 0, whose code no other number has; least is the least number above 0, else 0
 * levels : lo, hi, between which codes are even; or lo, hi, center, width: even in asinh((x - center) / width)
 * several genes, a hue each: scale "categorical" without categories; colors, dark_colors : of the codes, which lie
 *     above each other in their order, on light and dark pages; corners : name, limits and code of what a legend lists
 * is_stated : whether the store states lo and hi, which then are the limits of the colors wherever one looks
 * unscaled : the layer that has the same genes before they were scaled, where X, which is read, is scaled; "" = none
 * ordered : whether the order of the categories means something; they are then listed in it, never by size
 * n_points : how many values will follow; the rest speaks of all n_obs cells
 * @typedef {object} Color
 * @property {"color"} kind
 * @property {number} panel
 * @property {number} seq
 * @property {string} spec
 * @property {string} name
 * @property {string} detail
 * @property {"none" | "categorical" | "continuous"} scale
 * @property {number} n_points
 * @property {number} n_obs
 * @property {number} n_missing
 * @property {string[]} categories
 * @property {number[]} counts
 * @property {string[]} colors
 * @property {number} lo
 * @property {number} hi
 * @property {"none" | "dense" | "sparse"} encoding
 * @property {boolean} is_stated
 * @property {number} n_negative
 * @property {number} n_zero
 * @property {number} least
 * @property {string[]} dark_colors
 * @property {any[][]} corners
 * @property {string} unscaled
 * @property {boolean} ordered
 * @property {number[]} levels
 * @property {{histogram: Uint32Array, quantiles: Float32Array, log_histogram: Uint32Array}} arrays
 */
/**
 * New colors for the categories on show; no cell's code changes.
 * @typedef {object} Palette
 * @property {"palette"} kind
 * @property {number} panel
 * @property {number} seq
 * @property {string[]} colors
 */
/**
 * Category codes of the points start..stop in display order; missing = maximum of the dtype.
 * @typedef {object} CodesOfPoints
 * @property {"codes"} kind
 * @property {number} panel
 * @property {number} seq
 * @property {number} start
 * @property {number} stop
 * @property {number} n_points
 * @property {{codes: Uint8Array | Uint16Array}} arrays
 */
/**
 * Category codes of all points that follow from those of an earlier coloring, `of`, all of which were sent.
 *
 * First each code becomes what the table says, then those of some points what `codes` says.
 * @typedef {object} Recoded
 * @property {"recoded"} kind
 * @property {number} panel
 * @property {number} seq
 * @property {number} of
 * @property {number} n_points
 * @property {{table: Uint8Array | Uint16Array, bits: Uint8Array, codes: Uint8Array | Uint16Array}} arrays
 */
/**
 * Numbers of the points start..stop in display order, as codes by the levels of the coloring; 65535 = missing.
 * @typedef {object} ValuesOfPoints
 * @property {"values"} kind
 * @property {number} panel
 * @property {number} seq
 * @property {number} start
 * @property {number} stop
 * @property {number} n_points
 * @property {{values: Uint16Array}} arrays
 */
/**
 * A sparse gene: the points start..stop that differ from `fill`, in containers of 65,536 points.
 *
 * Container c of this message begins at point start + 65536 c and owns the next counts[c] entries; the point is
 * begin + offset. All other points hold the code `fill`. Codes as in `values`.
 * @typedef {object} Nonzeros
 * @property {"nonzeros"} kind
 * @property {number} panel
 * @property {number} seq
 * @property {number} start
 * @property {number} stop
 * @property {number} n_points
 * @property {number} fill
 * @property {{counts: Uint32Array, offsets: Uint16Array, values: Uint16Array}} arrays
 */
/**
 * Which points are selected, in display order: bit i & 7 of byte i >> 3 is point i. Empty when no cell is.
 *
 * n_selected : of all cells, also of those that are no points
 * @typedef {object} Selection
 * @property {"selection"} kind
 * @property {number} seq
 * @property {number} n_selected
 * @property {number} n_points
 * @property {{bits: Uint8Array}} arrays
 */
/**
 * Which points pass the filters, that of the legend left out; bits as in `selection`, empty when all do.
 *
 * Of a panel other than the first: which points are its own, be they left out by the filters or not.
 * n_passing : cells that pass all filters, that of the legend too, also those that are no points
 * n_shown : those of them that the legend of sets does not hide either, which is no filter
 * @typedef {object} Filter
 * @property {"filter"} kind
 * @property {number} panel
 * @property {number} seq
 * @property {number} n_passing
 * @property {number} n_shown
 * @property {number} n_points
 * @property {{bits: Uint8Array}} arrays
 */
/**
 * The selected cells that pass all filters, by what colors the cells; empty without a coloring.
 *
 * seq, selection_seq, filter_seq : the coloring, the selection and the filters that were counted
 * n_missing : such cells without a value; n_selected : all such cells
 * @typedef {object} Counts
 * @property {"counts"} kind
 * @property {number} panel
 * @property {number} seq
 * @property {number} selection_seq
 * @property {number} n_missing
 * @property {number} n_selected
 * @property {number} filter_seq
 * @property {{counts: Uint32Array, passing: Uint32Array}} arrays
 */
/**
 * Cells by field of the map of two or three genes: by the part of its limits in which each gene lies.
 *
 * Fields are numbered with the parts of the first gene slowest, and so are the mixes, levels of each gene.
 *
 * seq : of the coloring; names : of the genes; limits : lowest and highest number of each, one after the other
 * words : what the parts of each gene are called; levels : steps of each gene that have a color
 * @typedef {object} FieldCounts
 * @property {"field_counts"} kind
 * @property {number} panel
 * @property {number} seq
 * @property {string[]} names
 * @property {number[]} limits
 * @property {string[]} words
 * @property {number} levels
 * @property {{filtered: Uint32Array, selected: Uint32Array, mixes: Uint16Array}} arrays
 */
/**
 * How many cells have each value of a column, those without one last; part of parts.
 *
 * scale "categorical": categories in their order. "continuous": edges of the bins, each of which holds its left edge
 * and not its right one, but for the last, which holds both. Neither is listed where it is known.
 * groups : indices into the categories of the legend on show, the largest; [] where cells are not counted by it
 * rows : of a long list, the categories listed and counted in the arrays; [] = all; where the list was not
 *     known, `all` is of all categories nevertheless, by which they can be sorted
 * error : one sentence where the column cannot be counted; the rest then is empty
 * layer : that a gene was read from, "" = X
 * n_zeros : how many of all cells have the number 0
 * about : what var says of a gene, or the unit of an obs column, [name, value] each; not listed where edges are known
 * n_chosen, n_held : how many there are in all
 * enriched : of a long list, the categories that are most enriched among the chosen, the first of all
 * @typedef {object} ColumnCounts
 * @property {"column"} kind
 * @property {number} panel
 * @property {number} part
 * @property {number} parts
 * @property {string} column
 * @property {"none" | "categorical" | "continuous"} scale
 * @property {string[]} categories
 * @property {number[]} edges
 * @property {number[]} groups
 * @property {string} error
 * @property {string} layer
 * @property {number} n_zeros
 * @property {string[][]} about
 * @property {number[]} rows
 * @property {number} n_chosen
 * @property {number} n_held
 * @property {number[]} enriched
 * @property {{all: Uint32Array, filtered: Uint32Array, selected: Uint32Array, grouped: Uint32Array, chosen: Uint32Array, held: Uint32Array, odds: Float32Array, log10_p: Float32Array}} arrays
 */
/**
 * Which categories of a column contain a text.
 *
 * labels : names of the first of them, without the missing ones; [] where they were not requested
 * @typedef {object} FoundValues
 * @property {"found"} kind
 * @property {number} panel
 * @property {string[]} labels
 * @property {{rows: Uint32Array}} arrays
 */
/**
 * How many cells of a column pass under a brush over another, by all filters but those of the two; part of parts.
 *
 * The sums run: those at step k are of the cells in the first k * width bins of the brush, so that a brush over whole
 * steps is the difference of two of them. The last step but one holds all bins, the last cells without a value too.
 * rows : the categories that are counted; of numbers all bins are, and then the missing ones
 * groups : as in `column`, of which each row has one part each; [] = one part
 * @typedef {object} BrushSums
 * @property {"sums"} kind
 * @property {number} panel
 * @property {number} part
 * @property {number} parts
 * @property {string} column
 * @property {number[]} rows
 * @property {number[]} groups
 * @property {number} width
 * @property {{sums: Uint32Array}} arrays
 */
/**
 * The bin of a brush for the points start..stop of n_points in display order; part of parts, after the `sums`.
 *
 * One more than the last bin = without a value; 255 = it fails another filter, that of the legend left out.
 * @typedef {object} BrushBins
 * @property {"bins"} kind
 * @property {number} panel
 * @property {number} part
 * @property {number} parts
 * @property {number} start
 * @property {number} stop
 * @property {number} n_points
 * @property {{bins: Uint8Array}} arrays
 */
/**
 * Rows of the table of the cells, from place `start` of `total`.
 *
 * rows : row of each cell in the store; names : their labels in the obs index
 * columns : spec, name, detail, whether it is_number, and error, one sentence where it cannot be read
 * values : the texts of each column, none where it cannot be read
 * at : place of the cell that was to be found; -1 = it is not in the table
 * panels : one panel for each embedding other than the plot's; `elsewhere` holds places in them
 * error : one sentence where the cells cannot be sorted that way; they then are in the order of the store
 * @typedef {object} Table
 * @property {"table"} kind
 * @property {number} panel
 * @property {number} start
 * @property {number} total
 * @property {number[]} rows
 * @property {string[]} names
 * @property {Record<string, any>[]} columns
 * @property {string[][]} values
 * @property {number} at
 * @property {string} error
 * @property {number[]} panels
 * @property {{xy: Float32Array, selected: Uint8Array, elsewhere: Float32Array}} arrays
 */
/**
 * Rows of the table as a file has them, from place `start` to before `stop`, of `total`.
 *
 * selection_seq : the selection that they are of; parts of several make no file
 * @typedef {object} Csv
 * @property {"csv"} kind
 * @property {number} panel
 * @property {number} start
 * @property {number} stop
 * @property {number} total
 * @property {number} selection_seq
 * @property {{text: Uint8Array}} arrays
 */
/**
 * The cell under the pointer; row -1 = there is none.
 *
 * x, y : data units; name : obs index label; value : colored value as text ("" without coloring)
 * fields : [column, value] pairs, both text
 * passes : whether it passes the filters, including the legend's; False only where filtered cells are drawn
 * n_beneath : how many cells that are shown lie in the circle, where they are too many to name one: name and fields
 *     then tell of all of them, [category, share] or of their numbers; else 0
 * elsewhere : [panel, x, y] of the cell in each panel of another embedding in which it has a place, 0 = the plot
 * @typedef {object} Cell
 * @property {"cell"} kind
 * @property {number} panel
 * @property {number} row
 * @property {number} x
 * @property {number} y
 * @property {string} name
 * @property {string} value
 * @property {string[][]} fields
 * @property {boolean} passes
 * @property {number} n_beneath
 * @property {number[][]} elsewhere
 */
/**
 * What one can color by, best first: spec (that of the coloring), color (for the trait), label, kind, detail.
 * @typedef {object} Matches
 * @property {"matches"} kind
 * @property {string} query
 * @property {Record<string, any>[]} matches
 * @property {number} n_more
 */
/**
 * The named sets of cells: name, within which other set ("" = none), is_rule: not mere rows, of, fault, color.
 *
 * of : key by which a filter refers to a set, in addition to its name
 * fault : one sentence that says why its cells cannot be found, which are counted as none; "" where they are
 * combined : cells of the union, the intersection and the difference of the chosen sets; [] where none were chosen
 * filter_seq, selection_seq : of the filters and the selection that are counted
 * @typedef {object} Sets
 * @property {"sets"} kind
 * @property {number} filter_seq
 * @property {number} selection_seq
 * @property {Record<string, any>[]} sets
 * @property {number[]} combined
 * @property {{counts: Uint32Array}} arrays
 */
/**
 * The annotations, and labels of the one that is called `name` ("" = there is none).
 *
 * annotations : name, n_labels and is_saved (whether a file has all its labels) of each
 * labels, colors : those that contain the query, in their order, the first of n_found
 * n_left_out : selected cells that do not pass the filters
 * has_obs : whether labels can be put into obs of the AnnData on show
 * @typedef {object} AnnotationLabels
 * @property {"annotations"} kind
 * @property {Record<string, any>[]} annotations
 * @property {string} name
 * @property {string[]} labels
 * @property {string[]} colors
 * @property {number} n_found
 * @property {number} n_left_out
 * @property {boolean} has_obs
 * @property {{counts: Uint32Array}} arrays
 */
/**
 * Result of an edit of an annotation.
 *
 * said : one sentence where the page does not show what was done, as what was saved
 * conflict : where there are other labels, and nobody said which count: how many cells have one here, how many there,
 *     and how many differ; nothing was written
 * @typedef {object} Annotated
 * @property {"annotated"} kind
 * @property {string} said
 * @property {number[]} conflict
 */
/**
 * Gene sets: name, n, how many genes they list, and genes; of those of the store the first of these.
 *
 * said : one sentence that names what was left out, "" where nothing was
 * @typedef {object} GeneSets
 * @property {"gene_sets"} kind
 * @property {Record<string, any>[]} sets
 * @property {string} said
 */
/**
 * Points of a view at full precision; codes as in `points`, over `extent`; part of parts, start = first entry.
 * @typedef {object} Detail
 * @property {"detail"} kind
 * @property {number} part
 * @property {number} parts
 * @property {number[]} extent
 * @property {{index: Uint32Array, xy: Uint16Array}} arrays
 */
/**
 * All cells of a view, aggregated to pixels; row 0 is the top.
 *
 * content "colors": the pixels, straight alpha. "numbers": red and green are the high and low byte of a code as in
 * `values` (65535 = no value), blue is the opacity, 1 where there are none but cells that the filters leave out; the
 * colormap is the front-end's affair.
 * points_seq, seq, selection_seq : the points, the coloring and the selection it shows; n_inside : cells in the view,
 *     those that pass the filters, or all where the others are drawn too
 * statistic : what the numbers are where they are not those of cells, such as a standard deviation; the codes then
 *     span the first two numbers of `scale`, not the range of the coloring, and the colors the next two; the last
 *     is the least number above 0, as in `color`; levels : as in `color`. "" and [] otherwise
 * @typedef {object} Image
 * @property {"image"} kind
 * @property {number} panel
 * @property {number} points_seq
 * @property {number} seq
 * @property {number} selection_seq
 * @property {number[]} view
 * @property {"colors" | "numbers"} content
 * @property {number} n_inside
 * @property {string} statistic
 * @property {number[]} scale
 * @property {number[]} levels
 * @property {{png: Uint8Array, histogram: Uint32Array, quantiles: Float32Array, log_histogram: Uint32Array}} arrays
 */
/**
 * The cells of a view at full precision, in random order, where few enough are in it; part of parts.
 *
 * Seqs as in `image`. Codes of `xy` as in `points`, over `extent`; `codes` as in `codes` or `values`, empty without a
 * coloring; `bits` as in `selection`, empty when no cell is selected; `passing` as `bits` in `filter`, empty when all
 * do.
 * @typedef {object} Cells
 * @property {"cells"} kind
 * @property {number} panel
 * @property {number} points_seq
 * @property {number} seq
 * @property {number} selection_seq
 * @property {number} part
 * @property {number} parts
 * @property {number[]} extent
 * @property {{xy: Uint16Array, sizes?: Uint16Array, codes: Uint8Array | Uint16Array, bits: Uint8Array, passing: Uint8Array}} arrays
 */
/**
 * Where the names of categories stand: at the densest place of those of their cells that pass the filters.
 *
 * The largest category comes first. codes : indices into the categories of the column; labels : what they are called;
 * counts : cells that pass; n_present : how many categories have such cells
 * extent : x0, x1, y0, y1, data units, over which the codes of places go as in `points`
 * @typedef {object} LabelPlaces
 * @property {"labels"} kind
 * @property {number} panel
 * @property {number} points_seq
 * @property {string} column
 * @property {number[]} codes
 * @property {string[]} labels
 * @property {number[]} counts
 * @property {number} n_present
 * @property {number[]} extent
 * @property {{xy: Uint16Array}} arrays
 */
/**
 * Closed lines around the densest regions that hold given shares of the cells of categories.
 *
 * column : "" = of all cells; then there is one category, without a name, whose code is -1
 * codes, labels, n_present : as in `labels`
 * categories, shares, n_rings : of each contour the index into codes, the share of cells it encloses, and how many
 *     rings it has; extent : as in `labels`
 * sets, colors : of contours of sets their names, which are the labels too, and a color for each; codes are -1
 * @typedef {object} Contours
 * @property {"contours"} kind
 * @property {number} panel
 * @property {number} points_seq
 * @property {string} column
 * @property {number[]} codes
 * @property {string[]} labels
 * @property {number} n_present
 * @property {number[]} categories
 * @property {number[]} shares
 * @property {number[]} n_rings
 * @property {number[]} extent
 * @property {string[]} sets
 * @property {string[]} colors
 * @property {{lengths: Uint32Array, xy: Uint16Array}} arrays
 */
/**
 * Where one of two sets is denser than the other: log2 of the ratio of their densities, each of its own cells.
 *
 * counts : cells of each that pass; least : cells of both that must lie near, or there is nothing to tell
 * limit : the last code stands for this ratio and all higher ones, code 0 for minus this and all lower ones
 * shape : lines and columns, the first at the lowest y; extent : x0, x1, y0, y1 of all bins, data units
 * @typedef {object} Difference
 * @property {"difference"} kind
 * @property {number} panel
 * @property {number} points_seq
 * @property {string[]} sets
 * @property {number[]} counts
 * @property {number} least
 * @property {number} limit
 * @property {number[]} shape
 * @property {number[]} extent
 * @property {{codes: Uint8Array, colors: Uint8Array, dark_colors: Uint8Array}} arrays
 */
/**
 * The names of images of the sections that the cells lie on, the best first; those that can be shown.
 * @typedef {object} SectionList
 * @property {"sections"} kind
 * @property {string[]} names
 */
/**
 * An image of the section, or a part of it, as a JPEG file.
 *
 * extent : x0, x1, y0, y1 of its edges, data units, its first line at y0; whole : those of all of the image
 * per_px : how many px of the stored image one px is, 1 = it has no more to show; um : micrometres of a data unit,
 *     0 = that is not known; spot : how wide a spot of its library is, data units, 0 = that is not known
 * outline : x and y of four corners, data units, beyond which nothing of the file is drawn; [] = all of it is
 * @typedef {object} Tissue
 * @property {"tissue"} kind
 * @property {number} panel
 * @property {string} name
 * @property {number[]} extent
 * @property {number[]} whole
 * @property {number} per_px
 * @property {number} um
 * @property {number} spot
 * @property {number[]} outline
 * @property {{jpeg: Uint8Array}} arrays
 */
/**
 * A part of a file, of a figure or of a comparison, from 0 to before `parts`; they come in any order.
 * @typedef {object} FigurePart
 * @property {"figure"} kind
 * @property {number} part
 * @property {number} parts
 * @property {{file: Uint8Array}} arrays
 */
/**
 * There is a new comparison, by hand or by Python, ready to be requested; `seq` is its number.
 * @typedef {object} Compared
 * @property {"compared"} kind
 * @property {number} seq
 */
/**
 * Rows of the newest comparison from `start` on, in the order of the store, in one of `parts` messages.
 *
 * seq : number of the result, 0 = there is none
 * title : what was compared, by what; notes : sentences on what the numbers are. All four
 *     are in the first part alone
 * sets : what a and b are called; groups : where each group of a column was compared; group : the one that this is
 * unscaled : the layer to compare in instead, where the values are scaled and one holds them as they were; "" = none
 * names : of the rows, as var has them; symbols : readable names, where they differ; neither where the page has them
 * @typedef {object} Comparison
 * @property {"comparison"} kind
 * @property {number} seq
 * @property {string} title
 * @property {string[]} notes
 * @property {string[]} sets
 * @property {string[]} groups
 * @property {number} group
 * @property {number} n_genes
 * @property {number} start
 * @property {number} parts
 * @property {string[]} names
 * @property {string[]} symbols
 * @property {string} unscaled
 * @property {{values: Float32Array, n: Uint32Array}} arrays
 */
/**
 * The second module of the front-end, which draws panels: its code deflated (zlib), empty where the page has it.
 * @typedef {object} Module
 * @property {"module"} kind
 * @property {string} hash
 * @property {{code: Uint8Array}} arrays
 */
/**
 * How far something is that has to be done once and lasts; `done` from 0 to 1, which also ends what was given up.
 *
 * of : the "index" of all cells, a "reading" that a store has to do as a whole, or the start of "datashader"
 * ends_by : what to `cancel` so that it ends, or nobody waits for it any more; "" where that cannot be
 * what : what is being done, as "Reading genes 12,000 of 20,000"; "" for an index, which the page words itself
 * @typedef {object} Progress
 * @property {"progress"} kind
 * @property {"index" | "reading" | "datashader"} of
 * @property {number} done
 * @property {"" | "aggregate" | "color" | "compare"} ends_by
 * @property {string} what
 */
/**
 * Kept states of this dataset that can be brought back, sent once the first points are drawn; [] = no offer stands.
 *
 * states : the newest of this notebook first: name, at (seconds since 1970), notebook ("" = this one, or unknown),
 *     counts (of sets, labels, annotations, gene_sets, pins, filters, panels), unsaved (annotations that no file has)
 * @typedef {object} Kept
 * @property {"kept"} kind
 * @property {Record<string, any>[]} states
 */
/**
 * What the last action read of the store, sent where it differs from the action before.
 *
 * of : the kind of the action; n_bytes : as they are stored; n_reads : in how many reads, 0 = it was all in memory
 * is_ahead : whether storage was read ahead, so that requests were at most so many
 * @typedef {object} CostOf
 * @property {"cost"} kind
 * @property {string} of
 * @property {number} n_bytes
 * @property {number} n_reads
 * @property {boolean} is_ahead
 */
/**
 * A request that failed, in one sentence; what was on show stays. `of` names the kind that failed.
 *
 * details : the same in full, with paths and what a library said of it; "" where the sentence says it all
 * Type "Overtaken" is no failure: a newer request took its place, and nothing more will come.
 * @typedef {object} Error
 * @property {"error"} kind
 * @property {string} of
 * @property {string} type
 * @property {string} message
 * @property {string} details
 */

/** @typedef {Ready | Begun | Restore | Lasso | Category | Pick | Clear | Undo | AskSets | EditSet | AskAnnotations | EditAnnotation | Count | Hover | Search | AskPlace | Zoom | Aggregate | AskColumns | FindValues | AskLook | AskFields | AskBrush | AskTable | AskCsv | AskGenes | AskModule | AskLabels | AskContours | AskDifference | AskSections | AskTissue | AskFigure | Compare | AskComparison | Cancel} Request */
/** @typedef {DatasetInfo | Points | Color | Palette | CodesOfPoints | Recoded | ValuesOfPoints | Nonzeros | Selection | Filter | Counts | FieldCounts | ColumnCounts | FoundValues | BrushSums | BrushBins | Table | Csv | Cell | Matches | Sets | AnnotationLabels | Annotated | GeneSets | Detail | Image | Cells | LabelPlaces | Contours | Difference | SectionList | Tissue | FigurePart | Compared | Comparison | Module | Progress | Kept | CostOf | Error} Reply */

/** @typedef {[dtypes: string[], shape: (string | number)[], isOptional?: true]} ArraySpec a shape names its sizes */

/** @type {Record<string, Record<string, ArraySpec>>} */
export const REPLY_ARRAYS = {
  dataset: {},
  points: {"xy": [["uint16"], ["stop-start", 2]], "sizes": [["uint16"], ["stop-start"], true]},
  color: {"histogram": [["uint32"], ["n_bins"]], "quantiles": [["float32"], ["n_quantiles"]], "log_histogram": [["uint32"], ["n_log_bins"]]},
  palette: {},
  codes: {"codes": [["uint8", "uint16"], ["stop-start"]]},
  recoded: {"table": [["uint8", "uint16"], ["n_before + 1"]], "bits": [["uint8"], ["n_bytes"]], "codes": [["uint8", "uint16"], ["n or 1 or 0"]]},
  values: {"values": [["uint16"], ["stop-start"]]},
  nonzeros: {"counts": [["uint32"], ["n_containers"]], "offsets": [["uint16"], ["n_entries"]], "values": [["uint16"], ["n_entries"]]},
  selection: {"bits": [["uint8"], ["n_bytes"]]},
  filter: {"bits": [["uint8"], ["n_bytes"]]},
  counts: {"counts": [["uint32"], ["n"]], "passing": [["uint32"], ["k"]]},
  field_counts: {"filtered": [["uint32"], ["n"]], "selected": [["uint32"], ["n"]], "mixes": [["uint16"], ["n_mixes"]]},
  column: {"all": [["uint32"], ["n_all"]], "filtered": [["uint32"], ["n"]], "selected": [["uint32"], ["n"]], "grouped": [["uint32"], ["n", "n_groups"]], "chosen": [["uint32"], ["n or 0"]], "held": [["uint32"], ["n or 0"]], "odds": [["float32"], ["k or 0"]], "log10_p": [["float32"], ["k or 0"]]},
  found: {"rows": [["uint32"], ["n"]]},
  sums: {"sums": [["uint32"], ["n_steps", "n_rows", "n_parts"]]},
  bins: {"bins": [["uint8"], ["stop-start"]]},
  table: {"xy": [["float32"], ["n", 2]], "selected": [["uint8"], ["n"]], "elsewhere": [["float32"], ["n_panels", "n", 2]]},
  csv: {"text": [["uint8"], ["n_bytes"]]},
  cell: {},
  matches: {},
  sets: {"counts": [["uint32"], ["n", 4]]},
  annotations: {"counts": [["uint32"], ["n", 3]]},
  annotated: {},
  gene_sets: {},
  detail: {"index": [["uint32"], ["n"]], "xy": [["uint16"], ["n", 2]]},
  image: {"png": [["uint8"], ["n_bytes"]], "histogram": [["uint32"], ["n_bins or 0"]], "quantiles": [["float32"], ["n_quantiles or 0"]], "log_histogram": [["uint32"], ["n_log_bins"]]},
  cells: {"xy": [["uint16"], ["n", 2]], "sizes": [["uint16"], ["n"], true], "codes": [["uint8", "uint16"], ["n or 0"]], "bits": [["uint8"], ["n_bytes or 0"]], "passing": [["uint8"], ["0 or n_bytes"]]},
  labels: {"xy": [["uint16"], ["n", 2]]},
  contours: {"lengths": [["uint32"], ["n_rings"]], "xy": [["uint16"], ["n", 2]]},
  difference: {"codes": [["uint8"], ["n"]], "colors": [["uint8"], ["n_codes", 3]], "dark_colors": [["uint8"], ["n_codes", 3]]},
  sections: {},
  tissue: {"jpeg": [["uint8"], ["n_bytes"]]},
  figure: {"file": [["uint8"], ["n_bytes"]]},
  compared: {},
  comparison: {"values": [["float32"], [9, "n"]], "n": [["uint32"], [2, "n"]]},
  module: {"code": [["uint8"], ["n_bytes"]]},
  progress: {},
  kept: {},
  cost: {},
  error: {},
};
