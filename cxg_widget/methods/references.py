"""Literature that the methods text cites, numbered in the order of citation."""

from __future__ import annotations

WORKS = {
    "welch": "Welch BL. The generalization of 'Student's' problem when several different population variances "
    "are involved. Biometrika 34, 28-35 (1947). doi:10.1093/biomet/34.1-2.28",
    "wilcoxon": "Wilcoxon F. Individual comparisons by ranking methods. Biometrics Bulletin 1, 80-83 (1945). "
    "doi:10.2307/3001968",
    "mann": "Mann HB, Whitney DR. On a test of whether one of two random variables is stochastically larger "
    "than the other. Annals of Mathematical Statistics 18, 50-60 (1947). doi:10.1214/aoms/1177730491",
    "bh": "Benjamini Y, Hochberg Y. Controlling the false discovery rate: a practical and powerful approach "
    "to multiple testing. Journal of the Royal Statistical Society B 57, 289-300 (1995). "
    "doi:10.1111/j.2517-6161.1995.tb02031.x",
    "squair": "Squair JW et al. Confronting false discoveries in single-cell differential expression. Nature "
    "Communications 12, 5692 (2021). doi:10.1038/s41467-021-25960-2",
    "edger": "Robinson MD, McCarthy DJ, Smyth GK. edgeR: a Bioconductor package for differential expression "
    "analysis of digital gene expression data. Bioinformatics 26, 139-140 (2010). "
    "doi:10.1093/bioinformatics/btp616",
    "deseq2": "Love MI, Huber W, Anders S. Moderated estimation of fold change and dispersion for RNA-seq data "
    "with DESeq2. Genome Biology 15, 550 (2014). doi:10.1186/s13059-014-0550-8",
    "pydeseq2": "Muzellec B, Telenczuk M, Cabeli V, Andreux M. PyDESeq2: a python package for bulk RNA-seq "
    "differential expression analysis. Bioinformatics 39, btad547 (2023). "
    "doi:10.1093/bioinformatics/btad547",
    "cellxgene": "Megill C et al. cellxgene: a performant, scalable exploration platform for high dimensional sparse"
    " matrices. bioRxiv (2021). doi:10.1101/2021.04.05.438318",
    "scanpy": "Wolf FA, Angerer P, Theis FJ. SCANPY: large-scale single-cell gene expression data analysis. "
    "Genome Biology 19, 15 (2018). doi:10.1186/s13059-017-1382-0",
    "seurat": "Hao Y et al. Integrated analysis of multimodal single-cell data. Cell 184, 3573-3587 (2021). "
    "doi:10.1016/j.cell.2021.04.048",
    "fisher": "Fisher RA. The logic of inductive inference. Journal of the Royal Statistical Society 98, 39-82 "
    "(1935). doi:10.2307/2342435",
    "propeller": "Phipson B et al. propeller: testing for differences in cell type proportions in single cell data. "
    "Bioinformatics 38, 4720-4726 (2022). "
    "doi:10.1093/bioinformatics/btac582",
    "aitchison": "Aitchison J. The statistical analysis of compositional data. Journal of the Royal Statistical "
    "Society B 44, 139-160 (1982). doi:10.1111/j.2517-6161.1982.tb01195.x",
    "haldane": "Haldane JBS. The estimation and significance of the logarithm of a ratio of frequencies. Annals of"
    " Human Genetics 20, 309-311 (1956). doi:10.1111/j.1469-1809.1955.tb01285.x",
    "anscombe": "Anscombe FJ. On estimating binomial response relations. Biometrika 43, 461-464 (1956). "
    "doi:10.1093/biomet/43.3-4.461",
}


class References:
    """The works cited so far."""

    def __init__(self) -> None:
        self._cited: list[str] = []

    def cite(self, *keys: str) -> str:
        """Return the citation of works of `WORKS`, as "[1, 2]"."""
        self._cited += [key for key in keys if key not in self._cited]
        return f"[{', '.join(str(self._cited.index(key) + 1) for key in keys)}]"

    def listed(self) -> list[str]:
        """Return a line per cited work."""
        return [f"{number}. {WORKS[key]}" for number, key in enumerate(self._cited, start=1)]
