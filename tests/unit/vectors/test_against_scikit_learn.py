"""k-means, silhouette, principal components, TF-IDF and logistic regression give what scikit-learn gives."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression as TheirRegression
from sklearn.metrics import silhouette_score

from dhyan.text.words import words_of
from dhyan.vectors.arrays import SparseMatrix, dense
from dhyan.vectors.baselines import BagOfWords
from dhyan.vectors.cluster_map import principal_components
from dhyan.vectors.k_means import k_means, silhouette
from dhyan.vectors.logistic_regression import LogisticRegression

WORDS = ["river", "boat", "bank", "fish", "rice", "oven", "नदी", "पानी", "the", "a", "of", "is"]


def texts_of(seed, count=60):
    draw = np.random.default_rng(seed)
    return [" ".join(draw.choice(WORDS, draw.integers(1, 9))) for _ in range(count)]


def blobs(seed, count=200, width=12, clusters=4, spread=0.3):
    draw = np.random.default_rng(seed)
    centres = draw.normal(size=(clusters, width))
    vectors = centres[draw.integers(0, clusters, count)] + spread * draw.normal(size=(count, width))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def as_sparse(array):
    rows, columns = np.nonzero(array)
    return SparseMatrix(array.shape, rows, columns, array[rows, columns])


both_kinds = pytest.mark.parametrize("kind", [np.asarray, as_sparse], ids=["dense", "sparse"])


@both_kinds
@pytest.mark.parametrize("seed", range(3))
def test_k_means_and_silhouette(seed, kind):
    vectors = blobs(seed)
    found, centres = k_means(kind(vectors), 4)
    theirs = KMeans(4, n_init=10, random_state=0).fit(vectors)
    inertia = ((vectors - centres[found]) ** 2).sum()
    assert inertia == pytest.approx(theirs.inertia_, rel=1e-3)
    assert silhouette(kind(vectors), found) == pytest.approx(silhouette_score(vectors, found), abs=1e-5)


@both_kinds
@pytest.mark.parametrize("shape", [(200, 12), (5, 30), (40, 2)])
def test_principal_components(shape, kind):
    vectors = blobs(1, count=shape[0], width=shape[1])
    found, shares = principal_components(kind(vectors))
    theirs = PCA(2).fit(vectors)
    np.testing.assert_allclose(shares, theirs.explained_variance_ratio_, atol=1e-4)
    np.testing.assert_allclose(np.abs(found), np.abs(theirs.transform(vectors)), atol=2e-3)


@pytest.mark.parametrize("method", ["tf-idf", "one-hot"])
def test_bags_of_words(method):
    texts, others = texts_of(0), [*texts_of(1), "unknown words", ""]
    weighed = method == "tf-idf"
    theirs = TfidfVectorizer(analyzer=words_of, binary=not weighed, use_idf=weighed, sublinear_tf=weighed).fit(texts)
    embed = BagOfWords(method, texts)
    assert list(embed.column) == list(theirs.get_feature_names_out())
    np.testing.assert_allclose(dense(embed(others)), theirs.transform(others).toarray(), atol=1e-6)


@both_kinds
@pytest.mark.parametrize("count", [2, 3, 5])
def test_logistic_regression_ends_at_the_same_optimum(count, kind):
    draw = np.random.default_rng(count)
    vectors = blobs(count, count=150, width=20, clusters=9)
    labels = (vectors @ draw.normal(size=(20, count)) + 0.3 * draw.normal(size=(150, count))).argmax(axis=1)
    assert len(set(labels)) == count
    ours = LogisticRegression(kind(vectors), labels, count).probabilities(kind(vectors))
    theirs = TheirRegression(C=10.0, tol=1e-9, max_iter=10_000).fit(vectors, labels).predict_proba(vectors)
    np.testing.assert_allclose(ours, theirs, atol=2e-3)


@both_kinds
def test_labels_that_vectors_part_without_an_error(kind):
    """The weights stay finite, and every row gets its label."""
    vectors = np.eye(6, dtype=np.float32)
    labels = np.array([0, 1, 2, 0, 1, 2])
    found = LogisticRegression(kind(vectors), labels, 3).probabilities(kind(vectors))
    assert found.argmax(axis=1).tolist() == labels.tolist()
    np.testing.assert_allclose(found.sum(axis=1), 1)
